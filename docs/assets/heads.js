// @ts-check
// The experiment's models, taken apart. A model is fetched when the reader asks for it; what
// cannot be shown is said, and what was shown before stays.

import { get } from "./get.js";
import { make } from "./make.js";
import { ORDERS, SLOTS, ask, rightAnswers, say, understand, wordsOf, written } from "./sentences.js";

/** @typedef {import("./sentences.js").Model} Model */

const HEADS = [1, 2, 4, 8];

// What is shown.

/** @type {Model} */
let model;
let order = ORDERS[0];
let meant = [""]; // the word of each role
let words = [""];
let on = Array(4).fill(true); // for each head
let masked = true;
let head = 0; // the one whose looks are shown
let looking = 0; // the word that looks
let wanted = 0; // heads of the model asked for last

// Pieces of the page.

/**
 * @param {string} name @param {"checkbox" | "radio"} type @param {string[]} texts
 * @param {(i: number) => boolean} isOn @param {(i: number, checked: boolean) => void} act
 */
const ticks = (name, type, texts, isOn, act) => {
  const labels = texts.map((text, i) => {
    const onchange = () => act(i, input.checked);
    const input = make("input", { type, name, checked: isOn(i), onchange });
    return make("label", {}, input, text);
  });
  return make("fieldset", {}, make("legend", {}, name), make("div", {}, ...labels));
};

/** @param {string[]} options @param {(chosen: number) => void} act */
const list = (options, act) => {
  const select = make("select", {}, ...options.map((option) => make("option", {}, option)));
  select.onchange = () => act(select.selectedIndex);
  return select;
};

/** @param {string} caption @param {string[]} columns @param {Node[]} rows @param {string} className */
const table = (caption, columns, rows, className) => {
  const names = columns.map((text) => make("th", { scope: "col" }, make("span", {}, text)));
  const top = make("thead", {}, make("tr", {}, make("td"), ...names));
  const made = make("table", { className }, make("caption", {}, caption), top, make("tbody", {}, ...rows));
  return make("div", { tabIndex: 0, role: "region", ariaLabel: caption }, made); // may scroll
};

/** @param {string} name @param {Node[]} cells */
const line = (name, ...cells) => make("tr", {}, make("th", { scope: "row" }, name), ...cells);

/** @param {number} weight @param {boolean} [hidden] */
const percent = (weight, hidden) => (hidden ? "–" : String(Math.round(100 * weight)));

/** @param {number} weight @param {boolean} hidden */
const cell = (weight, hidden) => {
  const made = make("td", {}, percent(weight, hidden));
  made.style.setProperty("--tint", `${hidden ? 0 : 5 + 35 * weight}%`);
  return made;
};

/** Lines from each word to those that it looks at. @param {number[][]} attn_weights */
const lines = (attn_weights) => {
  const paths = attn_weights.flatMap((row, query) =>
    row.map((weight, key) => {
      const name = query === looking ? "strong" : "faint";
      const path = `<path class="${name}" style="--weight: ${weight}" d="M0 ${query + 0.5}L100 ${key + 0.5}"/>`;
      return weight < 0.02 ? "" : path;
    }),
  );
  const box = `viewBox="0 0 100 ${attn_weights.length}" preserveAspectRatio="none"`;
  return `<svg ${box} aria-hidden="true">${paths.join("")}</svg>`; // the numbers stand beside it
};

const told = make("p", { className: "heads-told", role: "status" });
const wrong = make("p", { className: "heads-wrong", id: "heads-wrong", role: "alert" });
const field = make("input", { type: "text", autocomplete: "off", spellcheck: false });
field.setAttribute("aria-describedby", wrong.id);
const switches = make("div");
const whose = make("div");
const looks = make("div", { className: "heads-looks" });
const answers = make("div");
const tables = make("div", { className: "heads-tables" });
/** @type {HTMLSelectElement[]} */
let lists = []; // for the order, and for the word of each role

// What comes out.

const names = () => words.map((word, i) => (i ? word : word[0].toUpperCase() + word.slice(1)));

const now = () => ask(model, words, on, masked);

const show = () => {
  const { attn_weights, given } = now();
  const own = attn_weights[head];
  const from = `“${names()[looking]}”`;
  /** @param {number} query @param {number} key */
  const hidden = (query, key) => masked && key > query;

  const whole = ask(model, words, on.map(() => true), true).given;
  const right = rightAnswers(words, model);
  const asked = Object.keys(model.answers).map((question, i) => {
    const verdict = right ? (given[i] === right[i] ? "right" : `wrong: ${right[i]}`) : "not known";
    const change = given[i] === whole[i] ? "" : `changed, was ${whole[i]}`;
    return line(`${question}?`, ...[given[i], verdict, change].map((text) => make("td", {}, text)));
  });
  answers.replaceChildren(
    table("What the model answers", ["answer", "is it right?", "changed since all heads were on?"], asked, "heads-answers"),
  );

  const reach = names().map((name, key) =>
    make("li", {}, `${name} `, make("span", {}, percent(own[looking][key], hidden(looking, key)))),
  );
  looks.children[1].innerHTML = lines(own);
  looks.children[2].replaceChildren(make("ul", { ariaLabel: `Head ${head + 1} of ${from}, in percent` }, ...reach));

  const heads = on.map((brings, i) => `head ${i + 1}${brings ? "" : ", off"}`);
  const each = names().map((name, key) =>
    line(name, ...attn_weights.map((weights) => cell(weights[looking][key], hidden(looking, key)))),
  );
  const matrix = names().map((name, query) => line(name, ...own[query].map((weight, key) => cell(weight, hidden(query, key)))));
  matrix[looking].className = "heads-chosen";
  const unit = `in percent${masked ? "; – is behind the mask" : ""}`;
  tables.replaceChildren(
    table(`Where ${from} looks with each head, ${unit}`, heads, each, "heads-weights"),
    table(`Where each word looks with head ${head + 1}, a row for each word, ${unit}`, names(), matrix, "heads-weights"),
  );
};

const score = () => {
  const right = rightAnswers(words, model);
  if (!right) return "It has none of the forms above, so nobody knows its right answers.";
  const count = now().given.filter((answer, i) => answer === right[i]).length;
  const strange = meant[0] === meant[3] ? " (Nobody gives to themselves in training.)" : "";
  return `${count} of ${right.length} answers are right.${strange}`;
};

/** @param {string} what is done @param {() => void} act does it */
const change = (what, act) => {
  const before = now().given;
  act();
  show();
  const questions = Object.keys(model.answers);
  const changed = now().given.flatMap((answer, i) =>
    answer === before[i] ? [] : [`${questions[i]}, from ${before[i]} to ${answer}`],
  );
  told.textContent = `${what} ${changed.length ? `It changes: ${changed.join("; ")}.` : "No answer changes."}`;
};

const tellLooks = () => {
  show();
  const row = now().attn_weights[head][looking];
  const most = Math.max(...row);
  const [from, to] = [looking, row.indexOf(most)].map((i) => `“${names()[i]}”`);
  told.textContent = `Head ${head + 1} of ${from} looks at ${to} most, with ${percent(most)}\u00a0%.`;
};

// What the reader chooses.

/** @param {string[]} said */
const read = (said) => {
  if (words.length !== said.length) looking = said.length - 1;
  words = said;
  const found = understand(words, model);
  if (found) ({ order, meant } = found);
  ORDERS.forEach((each, i) => (lists[0].options[i].textContent = written(say(each, meant))));
  lists.forEach((select, i) => (select.value = found ? [written(words), ...meant][i] : ""));
  field.value = written(words);
  field.ariaInvalid = "false";
  wrong.textContent = "";
  const choose = ticks("Which word looks?", "radio", names(), (i) => i === looking, (i) => {
    looking = i;
    tellLooks();
  });
  looks.replaceChildren(choose, make("div"), make("div"));
  show();
  told.textContent = `“${written(words)}” ${score()}`;
};

/** @param {SubmitEvent} event */
const readField = (event) => {
  event.preventDefault();
  try {
    read(wordsOf(field.value, model));
  } catch (error) {
    field.ariaInvalid = "true";
    wrong.textContent = `${/** @type {Error} */ (error).message} Below is the sentence before.`;
  }
};

const drawSwitches = () => {
  switches.replaceChildren(
    ticks("Heads that are on", "checkbox", on.map((_, i) => `${i + 1}`), (i) => on[i], (i, checked) =>
      change(`Head ${i + 1} is ${checked ? "on" : "off"}.`, () => (on[i] = checked)),
    ),
    ticks("Mask", "checkbox", ["hide later words"], () => masked, (_, checked) => {
      change(checked ? "The mask is back." : "The mask is off, and words look at later ones, too.", () => (masked = checked));
      if (!checked) told.append(" The full stop is last: nothing was hidden from it.");
    }),
  );
  whose.replaceChildren(
    ticks("Which head is shown?", "radio", on.map((_, i) => `head ${i + 1}`), (i) => i === head, (i) => {
      head = i;
      tellLooks();
    }),
  );
};

/** @param {number} count @param {HTMLElement} counts */
const take = async (count, counts) => {
  const name = `${count} head${count > 1 ? "s" : ""}`;
  wanted = count;
  wrong.textContent = "";
  told.textContent = `Fetching the model with ${name} …`;
  try {
    const fetched = await fetchModel(count);
    if (wanted !== count) return;
    model = fetched;
    on = Array(count).fill(true);
    head = Math.min(head, count - 1);
    drawSwitches();
    show();
    told.textContent = `${name}, all switched on. ${score()}`;
  } catch {
    if (wanted !== count) return;
    counts.querySelectorAll("input")[HEADS.indexOf(on.length)].checked = true;
    told.textContent = "";
    wrong.textContent = `The model with ${name} did not arrive. Below is the one before.`;
  }
};
/** @param {HTMLElement} box */
const build = (box) => {
  const kinds = Object.values(model.answers);
  const chooseOrder = list(ORDERS.map(String), (i) => read(say(ORDERS[i], meant)));
  const chooseWords = SLOTS.map((_, role) =>
    list(kinds[role], (i) => read(say(order, meant.with(role, kinds[role][i])))),
  );
  lists = [chooseOrder, ...chooseWords];
  const asks = ["form", ...Object.keys(model.answers)];
  const labels = lists.map((select, i) => make("label", {}, make("span", {}, asks[i]), select));
  const label = make("label", {}, make("span", {}, "or in your words"), field);
  const typed = make("form", { onsubmit: readField }, label, make("button", {}, "Read"));
  const counts = ticks("How many heads?", "radio", HEADS.map(String), (i) => HEADS[i] === on.length, (i) =>
    take(HEADS[i], counts),
  );
  const sentence = make("fieldset", {}, make("legend", {}, "Sentence"), make("div", {}, ...labels), typed, wrong);
  box.replaceChildren(sentence, counts, switches, told, answers, whose, looks, tables);
  drawSwitches();
  read(wordsOf("Anna sold Ben the oar at the bank", model));
};

// What is fetched.

/** @param {number} count @returns {Promise<Model>} */
const fetchModel = async (count) => {
  const fetched = JSON.parse(await get(`../measured/experiment_heads_${count}.json`));
  if (fetched.kind !== "mha experiment: model") throw new Error(fetched.kind);
  return fetched;
};

/** @param {HTMLElement} box */
const rest = (box) => {
  const said = make("p", { role: "status" });
  const start = make("button", { type: "button" }, "Take the heads apart");
  start.onclick = async () => {
    if (box.ariaBusy === "true") return; // pressed twice
    start.ariaDisabled = box.ariaBusy = "true"; // keeps room, so that nothing moves when it comes
    said.textContent = "Fetching a model …";
    try {
      const [fetched, style] = await Promise.all([fetchModel(on.length), get("heads.css")]);
      document.head.append(make("style", {}, style));
      model = fetched;
      build(box);
      lists[0].focus();
    } catch {
      said.textContent = "The model did not arrive. Press the button to try again.";
    }
    start.ariaDisabled = box.ariaBusy = "false";
  };
  box.replaceChildren(start, said);
};

for (const box of document.querySelectorAll(".heads")) rest(/** @type {HTMLElement} */ (box));
