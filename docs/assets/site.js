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

/** Say in place that blocks cannot be run. */
function sayNoButtons() {
  const words = document.querySelector(".run-intro");
  if (!words) return;
  words.textContent = "The script that runs blocks in this page did not arrive. Loading the page again may bring it; "
    + "until then, copy the blocks and run them on your machine.";
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

document.addEventListener("keydown", press);
document.addEventListener("DOMContentLoaded", () => {
  makeMenuButton();
  chooseColours();
  nameCopyButtons();
  const article = document.querySelector("article");
  if (article) {
    new MutationObserver(nameCopyButtons).observe(article, { childList: true, subtree: true });
  }
});
// Pages with blocks that can be run get their buttons.
if (document.querySelector(".highlight.run")) import("./run.js").catch(sayNoButtons);
// The experiment's page gets its models.
if (document.querySelector(".heads")) import("./heads.js");
// So do pages with figures that can be touched.
if (document.querySelector(".split")) import("./split.js");
if (document.querySelector(".fuse")) import("./fuse.js");
