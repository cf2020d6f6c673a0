// @ts-check
// What the figures that can be touched share. A figure gets its numbers, computed by
// docs/figures, and its style when a reader comes near; until then nothing is fetched.

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

/** @type {Promise<void> | undefined} */
let styled;

const style = () =>
  new Promise((resolve, reject) => {
    const href = new URL("touch.css", import.meta.url).href;
    const link = make("link", { rel: "stylesheet", href });
    link.onload = () => resolve(undefined);
    link.onerror = () => {
      link.remove();
      styled = undefined; // to be asked for again
      reject(new Error("no style"));
    };
    document.head.append(link);
  });

/** @param {string} name of a file of numbers in docs/figures */
const fetched = async (name) => {
  const answer = await fetch(new URL(`../figures/${name}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`no ${name}`);
  return answer.json();
};

/**
 * Bring a figure to life, once at a time, or say in its place that its numbers did not arrive.
 * @param {string} name @param {HTMLElement} place for the sentence and what can be pressed
 * @param {(data: any) => void} start
 */
export const wake = async (name, place, start) => {
  if (place.ariaBusy === "true") return; // pressed twice
  place.ariaBusy = "true";
  styled ??= style();
  try {
    const [data] = await Promise.all([fetched(name), styled]);
    start(data);
  } catch {
    const again = button("Try again", () => {
      place.replaceChildren();
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
