// @ts-check
// What Material leaves to do for people who use a keyboard or a screen reader.

/** Give each of Material's copy-button landmarks a name of its own. */
function nameCopyButtons() {
  document.querySelectorAll(".md-code__nav").forEach((nav, i) => {
    nav.setAttribute("aria-label", `Code block ${i + 1}`);
  });
}

/** Let the reader choose between light and dark; until then the system does. */
function chooseColours() {
  const { __md_set, showColours } = /** @type {any} */ (window); // of Material, and of the page's head
  document.querySelector(".scheme")?.addEventListener("click", () => {
    const scheme = document.body.dataset.mdColorScheme === "slate" ? "default" : "slate";
    __md_set("__palette", { color: { scheme } });
    showColours();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showColours);
}

/** Put a button, which a keyboard reaches, in the place of the label that opens the menu. */
function makeMenuButton() {
  const label = document.querySelector(".md-header [for=__drawer]");
  const menu = /** @type {HTMLInputElement | null} */ (document.getElementById("__drawer"));
  if (!label || !menu) return;
  const button = document.createElement("button");
  button.className = `${label.className} menu`;
  button.setAttribute("aria-label", "Menu");
  button.setAttribute("aria-expanded", String(menu.checked));
  button.append(...label.childNodes);
  button.addEventListener("click", () => menu.click());
  menu.addEventListener("change", () => button.setAttribute("aria-expanded", String(menu.checked)));
  label.replaceWith(button);
}

/**
 * Say that a script does not come, or has not within 20 seconds; take it back where it comes after all.
 * @param {Promise<unknown>} script @param {() => () => void} say gives what takes it back
 */
function orSay(script, say) {
  /** @type {(() => void) | undefined} */
  let takeBack;
  const missed = () => {
    takeBack ??= say();
  };
  const timer = setTimeout(missed, 20_000);
  script.then(() => takeBack?.(), missed).finally(() => clearTimeout(timer));
}

/** Say in place that blocks cannot be run. */
function sayNoButtons() {
  const words = document.querySelector(".run-intro");
  const before = [...(words?.childNodes ?? [])];
  words?.replaceChildren("The script that runs blocks in this page did not arrive. Loading the page again may bring it; "
    + "until then, copy the blocks and run them on your machine.");
  return () => words?.replaceChildren(...before);
}

/** Let Enter work a section of the menu as Space does, and Escape close the menu. @param {KeyboardEvent} event */
function press(event) {
  const at = /** @type {HTMLElement} */ (event.target);
  const menu = /** @type {HTMLInputElement | null} */ (document.getElementById("__drawer"));
  if (event.key === "Escape" && menu?.checked) {
    menu.click();
    /** @type {HTMLElement | null} */ (document.querySelector(".menu"))?.focus();
  } else if (event.key === "Enter" && at.matches(".md-toggle")) {
    at.click();
  }
}

/** Let a keyboard scroll what scrolls; Material does so only where a mouse can hover. */
function reachScrolling() {
  const boxes = [...document.querySelectorAll("pre > code, .md-typeset__scrollwrap")];
  const scrolling = boxes.map((box) => box.scrollWidth > box.clientWidth); // all are asked before one is changed
  boxes.forEach((box, i) => (scrolling[i] ? box.setAttribute("tabindex", "0") : box.removeAttribute("tabindex")));
}

/**
 * Bring what makes places live; where it does not arrive, say so in place of them.
 * @param {string} name of the places @param {() => Promise<unknown>} script
 */
function bring(name, script) {
  const places = [...document.querySelectorAll(name)];
  if (!places.length) return;
  orSay(script(), () => {
    const notes = places.map((place) => {
      const said = document.createElement("p");
      said.setAttribute("role", "alert");
      said.textContent = "What can be touched here did not arrive. The pictures and the text say the same; loading the page again may bring it.";
      place.classList.add("missing");
      place.append(said);
      return said;
    });
    return () => {
      for (const place of places) place.classList.remove("missing");
      for (const note of notes) note.remove();
    };
  });
}

document.addEventListener("keydown", press);
document.addEventListener("DOMContentLoaded", () => {
  makeMenuButton();
  chooseColours();
  nameCopyButtons();
  const article = document.querySelector("article");
  if (article) {
    new MutationObserver(nameCopyButtons).observe(article, { childList: true, subtree: true });
    new ResizeObserver(() => setTimeout(reachScrolling)).observe(article); // after Material's own
  }
});
// Pages with blocks that can be run get their buttons.
if (document.querySelector(".highlight.run")) orSay(import("./run.js"), sayNoButtons);
// The experiment's page gets its models, other pages figures that can be touched.
bring(".heads", () => import("./heads.js"));
bring(".split", () => import("./split.js"));
bring(".fuse", () => import("./fuse.js"));
