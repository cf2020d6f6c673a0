// @ts-check
// What the figures that can be touched share. A figure gets its numbers, computed by
// docs/figures, and its style when a reader comes near; until then nothing is fetched.

import { get } from "./get.js";
import { make } from "./make.js";

/** @param {string} textContent @param {() => void} press */
export const button = (textContent, press) => {
  const made = make("button", { type: "button", textContent });
  made.addEventListener("click", press);
  return made;
};

/** @param {string} name @param {string[]} head @param {(string | number)[][]} rows */
export const table = (name, head, rows) =>
  make(
    "table",
    { className: "touch-table" },
    make("caption", { textContent: name }),
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col", textContent: text })))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, String(cell)))))),
  );

let styled = false;

/**
 * Bring a figure to life, once at a time, or say in its place that its numbers did not arrive.
 * @param {string} name of a file of numbers in docs/figures
 * @param {HTMLElement} place for the sentence and what can be pressed
 * @param {(data: any) => void} start
 */
export const wake = async (name, place, start) => {
  if (place.ariaBusy === "true") return; // pressed twice
  place.ariaBusy = "true";
  place.replaceChildren(make("p", { role: "status" }, "Fetching the numbers …"));
  try {
    const [data, style] = await Promise.all([get(`../figures/${name}.json`), styled ? "" : get("touch.css")]);
    if (!styled) document.head.append(make("style", {}, style));
    styled = true;
    start(JSON.parse(data));
  } catch {
    const again = button("Try again", () => {
      place.tabIndex = -1;
      place.focus(); // the button that had it goes
      wake(name, place, start);
    });
    const words = "The numbers of this figure did not arrive; the drawn pictures and the text say the same. ";
    place.replaceChildren(make("p", { role: "alert" }, words, again));
  }
  place.ariaBusy = "false";
};

/** @param {Element} element @param {() => void} act once, when the element is near the view */
export const near = (element, act) => {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      act();
    },
    { rootMargin: "300px" },
  );
  observer.observe(element);
};
