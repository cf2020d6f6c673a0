// @ts-check
// The experiment's models, taken apart in the page. A model is fetched when the reader asks
// for it; what cannot be shown is said in words, and what was shown before stays.

import { readSentence } from "./attention.js";

/** Of mha/experiment/grammar.py: how a sentence may go, and what is said of the bank. */
export const ORDERS = [
  "WHO DID WHOM the WHAT at the WHERE .",
  "at the WHERE WHO DID WHOM the WHAT .",
  "WHO DID the WHAT to WHOM at the WHERE .",
  "at the WHERE WHO DID the WHAT to WHOM .",
  "WHOM was DID the WHAT by WHO at the WHERE .",
  "at the WHERE WHOM was DID the WHAT by WHO .",
  "the WHAT was DID to WHOM by WHO at the WHERE .",
  "at the WHERE the WHAT was DID to WHOM by WHO .",
].map((order) => order.split(" "));
const SLOTS = ["WHO", "DID", "WHAT", "WHOM", "WHERE"];
const FIRST = [0, 0, 0, 1, 0]; // the words of the sentence at the start
const HEADS = [1, 2, 4, 8];
const START = 4;

/**
 * @typedef {object} Model a file of docs/measured
 * @property {string[]} vocabulary
 * @property {number} context_length
 * @property {Record<string, string[]>} answers by question: first the roles', then which bank
 * @property {import("./attention.js").Weights} weights
 *
 * @typedef {object} State what is shown
 * @property {Model} model
 * @property {string[]} words the sentence, its full stop included
 * @property {boolean[]} on for each head
 * @property {boolean} masked
 * @property {number} looking the word whose looks are shown
 * @property {number} head whose looks are shown
 */

// Sentences.

/**
 * The words of a text, as mha/experiment/grammar.py reads it; large letters do not matter.
 * @param {string} text @param {Model} model
 * @returns {string[]}
 */
export const wordsOf = (text, { vocabulary, context_length }) => {
  const said = text.trim().replace(/\s*[.!?]$/, "").split(/\s+/).filter(Boolean);
  if (!said.length) throw new Error("A sentence needs at least one word, got none.");
  if (said.length >= context_length) {
    throw new Error(`A sentence may have at most ${context_length - 1} words, got ${said.length}.`);
  }
  const known = new Map(vocabulary.map((word) => [word.toLowerCase(), word]));
  const words = said.map((word) => {
    const found = known.get(word.toLowerCase());
    if (found) return found;
    const short = word.length > 16 ? `${word.slice(0, 16)}…` : word;
    throw new Error(`The model knows the ${vocabulary.length} words of the lists above, got “${short}”.`);
  });
  return [...words, "."];
};

/** @param {string[]} words */
const written = (words) => {
  const text = `${words.slice(0, -1).join(" ")}.`;
  return text[0].toUpperCase() + text.slice(1);
};

/** @param {Model} model the words of each role */
const kinds = (model) => Object.values(model.answers).slice(0, SLOTS.length);

/** @param {string[]} order @param {number[]} meant for each role, which of its words @param {Model} model */
const say = (order, meant, model) =>
  order.map((slot) => (SLOTS.includes(slot) ? kinds(model)[SLOTS.indexOf(slot)][meant[SLOTS.indexOf(slot)]] : slot));

/**
 * Which order a sentence has, and which word each role.
 * @param {string[]} words @param {Model} model
 */
const understand = (words, model) => {
  for (const order of ORDERS) {
    const meant = SLOTS.map((slot, role) => kinds(model)[role].indexOf(words[order.indexOf(slot)]));
    if (!meant.includes(-1) && say(order, meant, model).join(" ") === words.join(" ")) return { order, meant };
  }
  return undefined;
};

/** The right answers, if the sentence has an order that tells them. @param {string[]} words @param {Model} model */
export const rightAnswers = (words, model) => {
  const meant = understand(words, model)?.meant;
  if (!meant) return undefined;
  const bank = meant[4] === 0 ? meant[2] % 2 : 2; // things are in turn one for a river, one for a robbery
  return Object.values(model.answers).map((choice, question) => choice[[...meant, bank][question]]);
};

/**
 * Where every head looks, and what the model answers.
 * @param {Pick<State, "model" | "words" | "on" | "masked">} state
 */
export const ask = ({ model, words, on, masked }) => {
  const tokens = words.map((word) => model.vocabulary.indexOf(word));
  const { attn_weights, scores } = readSentence(tokens, model.weights, on, masked);
  let start = 0;
  const given = Object.values(model.answers).map((choice) => {
    const own = scores.slice(start, (start += choice.length));
    return choice[own.indexOf(Math.max(...own))];
  });
  return { attn_weights, scores, given };
};

// Pieces of the page.

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Partial<HTMLElementTagNameMap[T]>} properties
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[T]}
 */
const make = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  Object.assign(element, properties).append(...children);
  return element;
};

/** @param {string} textContent @param {() => void} press */
const button = (textContent, press) => {
  const made = make("button", { type: "button", textContent });
  made.addEventListener("click", press);
  return made;
};

/** @param {string} name @param {Node[]} children */
const group = (name, ...children) => make("fieldset", {}, make("legend", { textContent: name }), ...children);

/**
 * A box to tick, or one of several to choose from.
 * @param {"checkbox" | "radio"} type @param {string} name @param {string} text @param {boolean} checked
 * @param {(input: HTMLInputElement) => void} act
 */
const tick = (type, name, text, checked, act) => {
  const input = make("input", { type, name, checked });
  input.addEventListener("change", () => act(input));
  return make("label", {}, input, make("span", { textContent: text }));
};

/** @param {string} text @param {string[]} options @param {(chosen: number) => void} act */
const list = (text, options, act) => {
  const select = make("select", {}, ...options.map((textContent) => make("option", { textContent })));
  select.addEventListener("change", () => act(select.selectedIndex));
  return { select, label: make("label", {}, make("span", { textContent: text }), select) };
};

/** @param {number} weight */
const percent = (weight) => String(Math.round(100 * weight));

/** @param {number | undefined} weight without one, the cell is behind the mask */
const cell = (weight) => {
  const made = make("td", { textContent: weight === undefined ? "–" : percent(weight) });
  if (weight !== undefined) made.style.setProperty("--tint", `${5 + 35 * weight}%`);
  return made;
};

/** @param {string} caption @param {string[]} head @param {HTMLTableRowElement[]} rows @param {string} className */
const table = (caption, head, rows, className) => {
  const names = head.map((text) => make(text ? "th" : "td", text ? { scope: "col" } : {}, make("span", {}, text)));
  const made = make("table", { className }, make("caption", {}, caption));
  made.append(make("thead", {}, make("tr", {}, ...names)), make("tbody", {}, ...rows));
  return make("div", { className: "heads-wide", tabIndex: 0, role: "region", ariaLabel: caption }, made);
};

/** @param {string} name @param {HTMLElement[]} cells */
const line = (name, ...cells) => make("tr", {}, make("th", { scope: "row", textContent: name }), ...cells);

/** Lines from every word to those that it looks at, strong for one. @param {number[][]} attn_weights @param {number} looking */
const lines = (attn_weights, looking) => {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 100 ${attn_weights.length}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true"); // the numbers stand beside it and in the tables
  const order = attn_weights.map((_, query) => query).filter((query) => query !== looking);
  for (const query of [...order, looking]) {
    attn_weights[query].forEach((weight, key) => {
      if (weight < 0.02) return;
      const path = document.createElementNS(space, "path");
      path.setAttribute("d", `M0 ${query + 0.5}L100 ${key + 0.5}`);
      path.setAttribute("stroke-width", String(query === looking ? 1 + 5 * weight : 1));
      path.setAttribute("opacity", String(query === looking ? 0.3 + 0.7 * weight : 0.4 * weight));
      path.setAttribute("class", query === looking ? "heads-strong" : "heads-faint");
      svg.append(path);
    });
  }
  return svg;
};

// What is fetched.

/** @type {Map<number, Model>} */
const models = new Map();

/** @param {number} heads */
const fetchModel = async (heads) => {
  const known = models.get(heads);
  if (known) return known;
  const answer = await fetch(new URL(`../measured/experiment_heads_${heads}.json`, import.meta.url));
  const model = await answer.json();
  if (model.kind !== "mha experiment: model") throw new Error("no model");
  models.set(heads, model);
  return model;
};

/** @type {Promise<void> | undefined} */
let styled;

const style = () =>
  new Promise((resolve, reject) => {
    const link = make("link", { rel: "stylesheet", href: new URL("heads.css", import.meta.url).href });
    link.onload = () => resolve(undefined);
    link.onerror = () => {
      link.remove();
      reject(new Error("no style"));
    };
    document.head.append(link);
  });

// The figure.

/** @param {HTMLElement} box @param {Model} model */
const build = (box, model) => {
  /** @type {State} */
  const state = { model, words: say(ORDERS[0], FIRST, model), on: Array(START).fill(true), masked: true, looking: ORDERS[0].length - 1, head: 0 };
  let meant = [...FIRST];
  let order = ORDERS[0];

  const told = make("p", { className: "heads-told", role: "status" });
  const wrong = make("p", { className: "heads-wrong", id: "heads-wrong", role: "alert" });
  const field = make("input", { type: "text", autocomplete: "off", spellcheck: false });
  field.setAttribute("aria-describedby", wrong.id);
  const ons = make("div", { className: "heads-row" });
  const which = make("div", { className: "heads-row" });
  const looks = make("div", { className: "heads-looks" });
  const answers = make("div");
  const tables = make("div", { className: "heads-tables" });

  // Words of the sentence.

  /** @param {string[]} words */
  const read = (words) => {
    wrong.textContent = "";
    field.removeAttribute("aria-invalid");
    const before = state.words.length;
    state.words = words;
    if (before !== words.length) state.looking = words.length - 1;
    const found = understand(words, state.model);
    if (found) ({ order, meant } = found);
    forms.select.selectedIndex = found ? ORDERS.indexOf(order) : -1;
    roles.forEach(({ select }, role) => (select.selectedIndex = found ? meant[role] : -1));
    ORDERS.forEach((each, i) => (forms.select.options[i].textContent = written(say(each, meant, state.model))));
    field.value = written(words);
    drawWords();
    const { given, right } = show();
    const again = meant[0] === meant[3] ? " Nobody gives to themselves in training, so the model has seen no such sentence." : "";
    told.textContent = right
      ? `“${written(words)}” ${score(given, right)}${again}`
      : `“${written(words)}” has none of the forms above, so no answers are known to be right.`;
  };

  const forms = list("form", ORDERS.map(String), (chosen) => read(say(ORDERS[chosen], meant, state.model)));
  const roles = kinds(model).map((kind, role) =>
    list(Object.keys(model.answers)[role], kind, (chosen) => {
      meant = meant.map((word, i) => (i === role ? chosen : word));
      read(say(order, meant, state.model));
    }),
  );
  const typed = make("form", { className: "heads-typed" }, make("label", {}, make("span", {}, "or in your words"), field));
  typed.append(make("button", { type: "submit", textContent: "Read" }));
  typed.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      read(wordsOf(field.value, state.model));
    } catch (error) {
      field.setAttribute("aria-invalid", "true");
      wrong.textContent = `${/** @type {Error} */ (error).message} Below is the sentence before.`;
    }
  });

  // Heads, and the mask.

  /** @param {string[]} given @param {string[]} right */
  const score = (given, right) => {
    const count = given.filter((answer, i) => answer === right[i]).length;
    return `${count} of ${right.length} answers are right.`;
  };

  /** @param {string} what has been done @param {string[]} before the answers until then */
  const tell = (what, before) => {
    const { given } = show();
    const changed = Object.keys(state.model.answers).flatMap((question, i) =>
      given[i] === before[i] ? [] : [`${question}, from ${before[i]} to ${given[i]}`],
    );
    told.textContent = `${what} ${changed.length ? `It changes: ${changed.join("; ")}.` : "No answer changes."}`;
  };

  const drawHeads = () => {
    ons.replaceChildren(
      ...state.on.map((on, head) =>
        tick("checkbox", "heads-on", `${head + 1}`, on, ({ checked }) => {
          const before = ask(state).given;
          state.on[head] = checked;
          tell(`Head ${head + 1} is switched ${checked ? "on" : "off"}.`, before);
        }),
      ),
    );
    which.replaceChildren(
      ...state.on.map((_, head) =>
        tick("radio", "heads-which", `${head + 1}`, head === state.head, () => {
          state.head = head;
          tellLooks();
        }),
      ),
    );
  };

  let wanted = START;
  const counts = HEADS.map((heads) =>
    tick("radio", "heads-count", `${heads}`, heads === START, async () => {
      wanted = heads;
      const before = state.on.length;
      try {
        const model = await fetchModel(heads);
        if (wanted !== heads) return;
        Object.assign(state, { model, on: Array(heads).fill(true), head: Math.min(state.head, heads - 1) });
        wrong.textContent = "";
        drawHeads();
        const { given, right } = show();
        told.textContent = `${heads} head${heads > 1 ? "s" : ""}, all switched on. ${right ? score(given, right) : ""}`;
      } catch {
        if (wanted !== heads) return;
        wanted = before;
        counts[HEADS.indexOf(before)].querySelector("input").checked = true;
        wrong.textContent = `The model with ${heads} head${heads > 1 ? "s" : ""} did not arrive. Below is the one before; choose again to try again.`;
      }
    }),
  );

  const mask = tick("checkbox", "heads-mask", "hide later words", true, ({ checked }) => {
    const before = ask(state).given;
    state.masked = checked;
    const what = checked ? "The mask is back." : "The mask is off: every word looks at later ones, too.";
    tell(what, before);
    if (!checked) told.append(" The full stop is last, so nothing was hidden from it.");
  });

  // What comes out.

  const drawWords = () => {
    const choose = state.words.map((word, i) =>
      tick("radio", "heads-looking", shown(word, i), i === state.looking, () => {
        state.looking = i;
        tellLooks();
      }),
    );
    looks.replaceChildren(group("Which word looks?", make("div", {}, ...choose)), make("div"), make("div"));
  };

  /** @param {string} word @param {number} i */
  const shown = (word, i) => (i ? word : word[0].toUpperCase() + word.slice(1));

  const tellLooks = () => {
    const { attn_weights } = show();
    const row = attn_weights[state.head][state.looking];
    const most = Math.max(...row);
    const from = shown(state.words[state.looking], state.looking);
    const to = shown(state.words[row.indexOf(most)], row.indexOf(most));
    told.textContent = `Head ${state.head + 1} of “${from}” looks at “${to}” most, with ${percent(most)} %.`;
  };

  /** Draw all that follows from the state. */
  const show = () => {
    const { attn_weights, given } = ask(state);
    const whole = ask({ ...state, on: state.on.map(() => true), masked: true }).given;
    const right = rightAnswers(state.words, state.model);
    const names = state.words.map(shown);
    const own = attn_weights[state.head];
    const from = names[state.looking];
    /** @param {number} query @param {number} key */
    const seen = (query, key) => (state.masked && key > query ? undefined : own[query][key]);

    const reach = names.map((name, key) => {
      const weight = seen(state.looking, key);
      const strong = make("span", {}, weight === undefined ? "–" : `${percent(weight)} %`);
      return make("li", {}, name, " ", strong);
    });
    looks.children[1].replaceChildren(lines(own, state.looking));
    looks.children[2].replaceChildren(make("ul", { ariaLabel: `Head ${state.head + 1} of “${from}” looks at` }, ...reach));

    const asked = Object.keys(state.model.answers).map((question, i) => {
      const verdict = right ? (given[i] === right[i] ? "right" : `wrong: ${right[i]}`) : "not known";
      const change = given[i] === whole[i] ? "" : `changed, was ${whole[i]}`;
      const row = line(`${question}?`, make("td", {}, given[i]), make("td", {}, verdict), make("td", {}, change));
      row.classList.toggle("heads-broken", Boolean(change));
      row.classList.toggle("heads-mistaken", right !== undefined && given[i] !== right[i]);
      return row;
    });
    answers.replaceChildren(table("What the model answers", ["question", "answer", "is it right?", "without your changes"], asked, "heads-answers"));

    const heads = attn_weights.map((_, head) => `head ${head + 1}${state.on[head] ? "" : " (off)"}`);
    const all = names.map((name, key) => {
      const hidden = state.masked && key > state.looking;
      return line(name, ...attn_weights.map((weights) => cell(hidden ? undefined : weights[state.looking][key])));
    });
    const matrix = names.map((name, query) => {
      const row = line(name, ...names.map((_, key) => cell(seen(query, key))));
      row.classList.toggle("heads-chosen", query === state.looking);
      return row;
    });
    const note = state.masked ? "; – is behind the mask" : "";
    tables.replaceChildren(
      table(`Where “${from}” looks with each head, in percent${note}`, ["", ...heads], all, "heads-all"),
      table(`Where each word looks with head ${state.head + 1}, a row for each word, in percent${note}`, ["", ...names], matrix, "heads-matrix"),
    );
    return { attn_weights, given, right };
  };

  box.replaceChildren(
    group("Sentence", make("div", { className: "heads-row" }, ...[forms, ...roles].map(({ label }) => label)), typed, wrong),
    group("How many heads?", make("div", { className: "heads-row" }, ...counts)),
    group("Heads switched on", ons),
    group("Mask", make("div", { className: "heads-row" }, mask)),
    told,
    answers,
    group("Whose looks?", which),
    looks,
    tables,
  );
  drawHeads();
  read(state.words);
};

/** @param {HTMLElement} box */
const rest = (box, words = "") => {
  const start = button("Take the heads apart", async () => {
    start.disabled = true;
    said.textContent = "Fetching a model …";
    box.ariaBusy = "true"; // keeps room, so that nothing moves when it comes
    styled ??= style();
    try {
      const [model] = await Promise.all([fetchModel(START), styled]);
      build(box, model);
      box.querySelector("select")?.focus();
    } catch {
      styled = undefined;
      rest(box, "The model did not arrive; the pictures above show what it does. Press the button to try again.");
      box.querySelector("button")?.focus();
    }
    box.ariaBusy = "false";
  });
  const said = make("p", { role: "status", textContent: words });
  box.replaceChildren(start, said);
};

for (const box of document.querySelectorAll(".heads")) rest(/** @type {HTMLElement} */ (box));
