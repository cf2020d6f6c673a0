// @ts-check
// Split and glue, step by step. Shape, strides and memory of every step are data, computed
// with torch in docs/figures/split_steps.py; the reader's numbers are read by them here.

import { make } from "./make.js";
import { button, near, table, wake } from "./touch.js";

/**
 * @typedef {object} Step A tensor on its way.
 * @property {string} code what makes it of the one before
 * @property {string} words
 * @property {number[]} shape
 * @property {number[]} strides
 * @property {number[]} memory at each place, which of the twelve numbers
 * @property {string} ask a question before it is shown, or ""
 * @property {string} subject of the question
 * @property {number[][]} guesses what one may expect; the first is what comes
 *
 * @typedef {object} Read A number as the tensor shows it.
 * @property {number[]} index
 * @property {number} place in memory
 * @property {number} which of the twelve numbers
 *
 * @typedef {Record<string, Record<string, Step>> & { ways: Record<string, string[]> }} Data
 *   the steps by number of heads, and which of them make a way
 */

/** @param {number[]} list */
const tuple = (list) => `(${list.join(", ")})`;

/** @param {number} number */
const written = (number) => String(number).replace("-", "−");

/** All numbers of a tensor in the order of their index. @param {Step} step @returns {Read[]} */
const read = ({ shape, strides, memory }) =>
  memory.map((_, count) => {
    /** @type {number[]} */
    const index = [];
    for (const size of [...shape].reverse()) {
      index.unshift(count % size);
      count = Math.floor(count / size);
    }
    const place = index.reduce((sum, i, axis) => sum + i * strides[axis], 0);
    return { index, place, which: memory[place] };
  });

/**
 * Twelve numbers out of what somebody typed.
 * @param {string} text
 * @returns {number[] | string} or what has to be different
 */
const parse = (text) => {
  const words = text.replace(/[−–]/g, "-").split(/[\s,;[\]()]+/).filter(Boolean);
  const short = (/** @type {string} */ word) => (word.length > 12 ? `${word.slice(0, 12)}…` : word);
  const strange = words.find((word) => !/^[+-]?\d+$/.test(word));
  if (strange) return `Whole numbers with spaces or commas between them are needed, got “${short(strange)}”.`;
  if (words.length !== 12) return `Twelve numbers are needed, got ${words.length || "none"}.`;
  const large = words.find((word) => Number(word) < -99 || Number(word) > 999);
  if (large) return `Numbers from −99 to 999 fit into the cells, got ${short(large)}.`;
  return words.map((word) => Number(word) + 0);
};

// Where things stand on the stage, in cells.

const WIDE = 4.9;
const TALL = 7.8;
const GAP = 0.3; // between heads side by side
const NAME = 0.9; // for the name above a head

/** Whether heads stand in front of tokens; there are three tokens and never three heads. @param {number[]} shape */
const headsFirst = (shape) => shape.length === 4 && shape[1] !== 3;

/** @param {number[]} shape @param {number[]} index @returns {[number, number]} */
const spot = (shape, [, first, second, third]) => {
  if (shape.length === 3) return [second, first];
  if (!headsFirst(shape)) return [second * (shape[3] + GAP) + third, first];
  const across = shape[1] === 4 ? 2 : 1;
  const [column, row] = [first % across, Math.floor(first / across)];
  return [column * (shape[3] + 2 * GAP) + third, row * (3 + NAME) + second];
};

/** @param {HTMLElement} box */
const build = (box, /** @type {Data} */ data) => {
  const id = box.id;
  let heads = "2";
  let way = Object.keys(data.ways)[0];
  let at = 0;
  let numbers = [...Array(12).keys()];
  let chosen = 6; // which of the twelve
  const stands = numbers.map(() => [0, 0]); // on the stage
  /** What was said to each question. @type {Map<string, string>} */
  const said = new Map();

  const last = () => data.ways[way].length - 1;
  const step = (back = 0) => data[heads][data.ways[way][at - back]];
  const open = () => step().ask !== "" && !said.has(way + heads);
  /** What the stage shows: while a question is open, the step before. */
  const drawn = () => step(open() ? 1 : 0);
  /** What one may expect of a step, in the reader's numbers. */
  const guesses = () => step().guesses.map((places) => places.map((which) => written(numbers[which])).join(", "));

  // The parts, from top to bottom.

  /** @param {string} legend @param {string[]} options @param {string} now @param {(value: string) => void} choose */
  const radios = (legend, options, now, choose) => {
    const labels = options.map((value) => {
      const input = make("input", { type: "radio", name: `${id}-${legend}`, checked: value === now });
      input.addEventListener("change", () => {
        choose(value);
        show();
      });
      return make("label", {}, input, value);
    });
    return make("fieldset", {}, make("legend", { textContent: legend }), ...labels);
  };

  const headsChoice = radios("Heads", ["1", "2", "4"], heads, (value) => {
    heads = value;
  });
  const wayChoice = radios("Way", Object.keys(data.ways), way, (value) => {
    way = value;
    at = value === Object.keys(data.ways)[0] ? 0 : last();
  });

  /** @param {number} change */
  const go = (change) => {
    at = Math.max(0, Math.min(last(), at + change));
    show();
  };
  const previous = button("Previous", () => go(-1));
  const next = button("Next", () => go(1));
  const count = make("span");
  const bar = make("div", { className: "touch-bar" }, previous, next, count);

  const told = make("div", { className: "split-told", tabIndex: -1 });
  told.setAttribute("role", "status");

  const stage = make("div", { className: "split-stage", role: "group", ariaLabel: "The tensor: arrow keys go from number to number" });
  const cells = numbers.map((_, which) => {
    const cell = make("button", { type: "button", className: `split-cell token-${Math.floor(which / 4) + 1}` });
    for (const event of ["click", "focus"]) cell.addEventListener(event, () => choose(which));
    cell.addEventListener("keydown", (event) => walk(event, which));
    return cell;
  });
  const signs = make("div", { ariaHidden: "true" });
  stage.append(signs, ...cells);

  const lying = numbers.map((_, which) => make("span", { className: `token-${Math.floor(which / 4) + 1}` }));
  const row = make("div", { className: "split-row", ariaHidden: "true" }, ...lying);
  const places = make("div", { className: "split-places", ariaHidden: "true" }, ...numbers.map((n) => make("span", {}, String(n))));
  const sum = make("p", { className: "split-sum" });
  const memory = make("div", {}, make("p", { className: "touch-name", textContent: "Memory, one row" }), row, places);
  const asked = make("div", { role: "group" });

  const input = make("input", { type: "text", id: `${id}-own`, autocomplete: "off", spellcheck: false });
  const wrong = make("p", { className: "touch-wrong", id: `${id}-wrong` });
  wrong.setAttribute("role", "alert");
  input.setAttribute("aria-describedby", wrong.id);
  /** @param {number[] | string} found */
  const take = (found) => {
    const words = typeof found === "string" ? found : "";
    wrong.textContent = words;
    input.ariaInvalid = String(words !== "");
    if (typeof found === "string") return;
    numbers = found;
    for (const question of said.keys()) said.set(question, ""); // it was said of other numbers
    show();
  };
  const form = make(
    "form",
    {},
    make("label", { htmlFor: input.id, textContent: "Twelve numbers of your own" }),
    make("div", { className: "touch-bar" }, input, make("button", { textContent: "Use" }),
      button("0 to 11", () => {
        input.value = [...Array(12).keys()].join(" ");
        take(parse(input.value));
      })),
    wrong,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    take(parse(input.value));
  });
  const touched = make("div", {}, sum, form);
  const below = make("div", { className: "split-below" }, touched, asked);
  const summary = make("summary", { textContent: "This step as a table" });
  const listed = make("details", {}, summary);

  // What can be done on the stage.

  /** @param {number} which */
  const choose = (which) => {
    chosen = which;
    showChosen();
  };

  /** Arrow keys go to the next number in line. @param {KeyboardEvent} event @param {number} from */
  const walk = (event, from) => {
    const arrow = ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"].indexOf(event.key);
    if (arrow < 0) return;
    event.preventDefault();
    const [axis, sign] = [arrow % 2, arrow < 2 ? -1 : 1];
    const ahead = (/** @type {number} */ to) => sign * (stands[to][axis] - stands[from][axis]);
    const line = [...stands.keys()].filter((to) => stands[to][1 - axis] === stands[from][1 - axis] && ahead(to) > 0);
    cells[line.sort((a, b) => ahead(a) - ahead(b))[0] ?? from].focus();
  };

  /** @param {string} answer */
  const answered = (answer) => {
    said.set(way + heads, answer);
    show();
    told.focus(); // the button that had it is gone
  };

  // Drawing.

  const showQuestion = () => {
    touched.classList.toggle("split-away", open());
    asked.hidden = !open();
    asked.ariaLabel = `What do you think: ${step().ask}`;
    const buttons = [...new Set(guesses().sort()), "Show me"].map((text) => button(text, () => answered(text)));
    asked.replaceChildren(
      make("p", { className: "touch-name", textContent: asked.ariaLabel }),
      make("div", { className: "split-choices" }, ...buttons),
    );
  };

  /** Words that stay on one line. @param {string} textContent */
  const whole = (textContent) => make("span", { className: "split-whole", textContent });

  /** What came of a question, beside what was said to it. */
  const outcome = () => {
    const answer = said.get(way + heads) ?? "";
    const [gets, ought] = guesses();
    const found = `${step().subject} gets ${gets}. `;
    if (answer === gets) return `As you said: ${found}`;
    if (!/\d/.test(answer)) return found;
    const reason = answer === ought ? "it should be so, and in the listing it is" : "nothing here takes every second number";
    return `You said ${answer}. Not quite: ${reason}. ${found}`;
  };

  const showTold = () => {
    const { code, shape, strides, words } = drawn();
    const coming = `Next comes ${step().code}. The shape will be right, and no error is raised.`;
    told.replaceChildren(
      make("p", {}, make("code", {}, code), " → ", whole(`shape ${tuple(shape)},`), " ", whole(`strides ${tuple(strides)}`)),
      make("p", {}, open() ? coming : (step().ask && outcome()) + words),
    );
  };

  /** @param {string} className @param {string} text @param {number} x @param {number} y @param {string} [style] */
  const sign = (className, text, x, y, style = "") => {
    const made = make("span", { className, textContent: text });
    made.style.cssText = `--x: ${x}; --y: ${y}; ${style}`;
    signs.append(made);
  };

  const showStage = () => {
    const { shape, memory } = drawn();
    const all = read(drawn());
    const rows = drawn().ask ? "row" : "token"; // mixed or whole
    const spots = all.map(({ index }) => spot(shape, index));
    const most = (/** @type {0 | 1} */ axis) => Math.max(...spots.map((place) => place[axis])) + 1;
    const left = (WIDE - most(0)) / 2;
    const top = (TALL - most(1) + NAME) / 2;
    signs.replaceChildren();
    all.forEach(({ index, place, which }, i) => {
      const [x, y] = (stands[which] = [left + spots[i][0], top + spots[i][1]]);
      const cell = cells[which];
      cell.style.cssText = `--x: ${x}; --y: ${y}`;
      cell.textContent = written(numbers[which]);
      cell.ariaLabel = `${written(numbers[which])}, index [${index.join(", ")}], place ${place} in memory`;
      const [, first, second, third] = index;
      const [token, head] = headsFirst(shape) ? [second, first] : [first, second];
      if (spots[i][0] === 0) sign("split-token", `${rows} ${token + 1}`, x, y);
      if (shape.length === 4 && token === 0 && third === 0) {
        sign("split-head", `head ${head + 1}`, x, y, `--wide: ${shape[3]}; --color: var(--head-${head + 1})`);
      }
    });
    memory.forEach((which, place) => {
      lying[which].style.cssText = `--x: ${place}`;
      lying[which].textContent = written(numbers[which]);
    });
  };

  const showChosen = () => {
    const { strides } = drawn();
    cells.forEach((cell, which) => {
      cell.tabIndex = which === chosen ? 0 : -1;
      cell.ariaPressed = String(which === chosen);
      lying[which].classList.toggle("split-chosen", which === chosen);
    });
    const found = read(drawn()).find(({ which }) => which === chosen);
    if (!found) return;
    const products = found.index.map((i, axis) => `${i}·${strides[axis]}`).join(" + ");
    sum.replaceChildren(
      `${written(numbers[chosen])} has index [${found.index.join(", ")}]; times strides ${tuple(strides)}:`,
      make("br"),
      make("b", { textContent: `${products} = place ${found.place}` }),
    );
  };

  const showTable = () => {
    const rows = read(drawn()).map(({ index, place, which }) => [`[${index.join(", ")}]`, written(numbers[which]), place]);
    const title = `${drawn().code}, shape ${tuple(drawn().shape)}`;
    listed.replaceChildren(summary, table(title, ["index", "number", "place in memory"], rows));
  };

  const show = () => {
    previous.ariaDisabled = String(at === 0);
    next.ariaDisabled = String(at === last());
    count.textContent = `${open() ? "before " : ""}step ${at + 1} of ${last() + 1}`;
    showTold();
    showStage();
    showChosen();
    showQuestion();
    showTable();
  };

  box.replaceChildren(headsChoice, wayChoice, bar, told, stage, memory, below, listed);
  input.value = numbers.join(" ");
  show();
};

for (const box of document.querySelectorAll(".split")) {
  const place = /** @type {HTMLElement} */ (box);
  near(place, () => wake("split_steps", place, (data) => build(place, data)));
}
