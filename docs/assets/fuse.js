// @ts-check
// Stacked heads slide together into one fused layer. The weights and outputs of the two
// layers are the data of the drawn picture, docs/figures/stacked_fused.json.

import { make } from "./make.js";
import { button, table, wake } from "./touch.js";

/**
 * @typedef {object} Data
 * @property {string[]} words
 * @property {Record<string, number[][][]>} small for each name, the matrix of each head
 * @property {Record<string, number[][]>} big for each name, the matrix of the fused layer
 * @property {number[][]} stacked
 * @property {number[][]} fused
 * @property {number} difference
 */

/** @param {number} value @param {number} [digits] */
const written = (value, digits = 2) => value.toFixed(digits).replace(/^-(?=.*[1-9])/, "−").replace("-", "");

/** @param {number} x @param {number} y @param {string} words @param {string} [more] */
const text = (x, y, words, more = "") => `<text x="${x}" y="${y}" ${more}>${words}</text>`;

/** Cells in the colour of a head. @param {number[][]} rows @param {number} x @param {number} y @param {number[]} size @param {(i: number, j: number) => number} head */
const cells = (rows, x, y, [width, height], head) =>
  rows.flatMap((row, i) => row.map((value, j) => {
    const [left, top] = [x + width * j, y + height * i];
    const shade = (0.07 + 0.33 * Math.min(Math.abs(value) / 0.6, 1)).toFixed(2);
    const box = `<rect x="${left + 0.5}" y="${top + 0.5}" width="${width - 1}" height="${height - 1}" rx="2" style="fill: var(--head-${head(i, j)}); fill-opacity: ${shade}"/>`;
    return box + text(left + width / 2, top + height / 2 + 4.5, written(value), 'class="fuse-number"');
  })).join("");

/** @param {Data} data */
const drawing = ({ small, stacked, fused, difference }) => {
  const names = Object.keys(small);
  /** @type {string[]} */
  const parts = [];
  names.forEach((name, m) => {
    parts.push(`<g class="fuse-slide" style="--apart: ${1 + 122 * m}px 0px; --together: ${1 + 122 * m}px 0px">`);
    parts.push(text(57, 14, name, 'class="fuse-name"'));
    parts.push("</g>");
    small[name].forEach((rows, h) => {
      parts.push(`<g class="fuse-slide" style="--apart: ${1 + 122 * m}px ${44 + 90 * h}px; --together: ${1 + 122 * m}px ${72 + 52 * h}px">`);
      parts.push(cells(rows, 0, 0, [38, 26], () => h + 1), "</g>");
    });
    parts.push(`<rect class="fuse-big" x="${-1 + 122 * m}" y="70" width="118" height="108" rx="4"/>`);
  });
  for (const h of [0, 1]) {
    const colour = `style="fill: var(--head-${h + 1})"`; // names would cross the numbers; they come and go
    parts.push(text(1, 36 + 90 * h, `head ${h + 1}`, `class="fuse-head fuse-apart" ${colour}`));
    parts.push(text(1, h ? 196 : 62, `head ${h + 1}`, `class="fuse-head fuse-joined" ${colour}`));
    parts.push(`<rect class="fuse-small" x="-1" y="${41 + 90 * h}" width="362" height="58" rx="4" style="stroke: var(--head-${h + 1})"/>`);
  }
  parts.push(text(0, 234, "Outputs for the six tokens", 'class="fuse-title"'));
  [stacked, fused].forEach((rows, k) => {
    parts.push(text(188 * k, 258, k ? "fused(x)" : "stacked(x)", 'class="fuse-code"'));
    parts.push(cells(rows, 188 * k, 266, [43, 24], (_, j) => (j < 2 ? 1 : 2)));
    parts.push(`<rect class="${k ? "fuse-big" : "fuse-small"}" x="${188 * k - 2}" y="264" width="176" height="148" rx="4" style="stroke: var(--teal)"/>`);
  });
  parts.push(text(180, 343, "=", 'class="fuse-equals"'));
  parts.push(text(0, 431, `Largest difference: ${written(difference, 4)}`));
  return `<svg viewBox="0 0 360 438" role="img">${parts.join("")}</svg>`;
};

/** The same for those who listen, or would rather read. @param {Data} data */
const tables = ({ words, small, big, stacked, fused }) => {
  const rows = Object.keys(small).flatMap((name) =>
    big[name].map((row, i) => {
      const [h, r] = [Math.floor(i / 2), i % 2];
      return [`${name}, row ${i + 1}`, small[name][h][r].map((n) => written(n)).join(" "), row.map((n) => written(n)).join(" ")];
    }));
  const outputs = words.map((word, i) => [word, ...[stacked, fused].map((out) => out[i].map((n) => written(n)).join(" "))]);
  return [
    table("Weights: rows 1 and 2 are those of head 1, rows 3 and 4 those of head 2", ["row", "in the head", "in the layer"], rows),
    table("Outputs", ["token", "stacked(x)", "fused(x)"], outputs),
  ];
};

/** @param {HTMLElement} figure */
const dress = (figure) => {
  const bar = make("div", { className: "run-bar touch-bar" });
  const result = make("div");
  const told = make("p", { className: "touch-told" });
  told.setAttribute("role", "status");
  let together = false;

  const press = button("Slide together", () => {
    if (figure.classList.contains("fuse-live")) slide(!together);
    else wake("stacked_fused", result, start);
  });

  /** @param {boolean} joined */
  const slide = (joined) => {
    together = joined;
    figure.classList.toggle("fuse-together", joined);
    press.textContent = joined ? "Take apart" : "Slide together";
    told.textContent = joined
      ? "Rows of head 1 above rows of head 2: three big matrices. The fused layer gives the same numbers."
      : "Each head has three small matrices of two rows. Every head gives two columns of the output.";
    figure.querySelector("svg[data-live]")?.setAttribute("aria-label", told.textContent);
  };

  /** @param {Data} data */
  const start = (data) => {
    const still = figure.querySelector("svg");
    const live = make("div", { innerHTML: drawing(data) }).firstElementChild;
    if (!still || !live) return;
    live.setAttribute("data-live", "");
    still.before(live);
    figure.classList.add("fuse-live");
    result.replaceChildren(make("details", {}, make("summary", { textContent: "The numbers as tables" }), ...tables(data)));
    slide(false);
    live.getBoundingClientRect(); // so that there is a place to slide from
    slide(true);
  };

  bar.append(press, told);
  figure.append(bar, result);
  figure.classList.add("ready");
};

for (const figure of document.querySelectorAll(".fuse")) dress(/** @type {HTMLElement} */ (figure));
