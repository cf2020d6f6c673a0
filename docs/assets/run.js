// @ts-check
// Run, Edit and Reset for the blocks of plain Python. The blocks are a notebook that starts
// afresh with every Run: a block runs after all blocks above it, as these stand, edited or
// not. Python arrives with the first Run and works in a worker, which can be stopped.

import { make } from "./make.js";

const SECONDS = 5; // for a run; Python's own arrival does not count
const PATIENCE = 20; // seconds until a word about a slow arrival
const CHARACTERS = 10_000; // of output
const LIMIT = "The page's Python stopped in a way of its own; endless recursion or a wrong call may be behind it.";

/**
 * @typedef {object} Cell A block that can be run, and what stands below it.
 * @property {HTMLElement} box
 * @property {HTMLElement} code
 * @property {string} text the block as it is published
 * @property {HTMLTextAreaElement} editor in the page while the block is edited
 * @property {HTMLElement} result
 * @property {HTMLElement} printed
 * @property {HTMLElement} error
 * @property {HTMLElement} said
 */

/** What is said once, where the reader edits. */
const corners = make("p", {
  className: "run-note",
  id: "run-corners",
  textContent: "The Python in this page is Brython, which differs from CPython, which runs the downloads, "
    + "in corners such as the rounding of halves; recursion ends earlier, and some mistakes are forgiven.",
});

/** @type {Cell[]} */
const cells = [];

/** @param {Cell} cell */
const isEdited = (cell) => cell.editor.isConnected && cell.editor.value !== cell.text;

/** @param {Cell} cell */
const textOf = (cell) => (cell.editor.isConnected ? cell.editor.value : cell.text);

/** @param {Cell} cell @param {number} [line] the line to mark; without it, none is */
const mark = (cell, line) => {
  cell.box.classList.toggle("run-fault", line !== undefined);
  cell.box.style.setProperty("--line", String((line ?? 1) - 1));
};

/** Take away what edited code left here and below, where a changed block counts. @param {Cell} cell @param {boolean} changed just now */
const clear = (cell, changed) => {
  const below = cells.slice(cells.indexOf(cell));
  const ended = changed && running && below.includes(running) ? running : undefined;
  if (ended) end("");
  const goes = latest && below.includes(latest) && latest.result.classList.contains("run-edited");
  for (const each of goes ? cells : [cell]) mark(each);
  for (const each of below) {
    if (each === running || !each.result.classList.contains("run-edited")) continue;
    for (const part of [each.printed, each.error, each.said]) part.textContent = "";
  }
  if (ended && ended !== cell) ended.said.textContent = "Ended, because a block above was reset.";
};

// One run at a time.

/** @type {Worker | undefined} */
let worker;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {Cell | undefined} */
let running;
/** @type {Cell | undefined} */
let latest; // whose run left the marks that there are

/** @param {string} words to say of the run that ends now */
const end = (words) => {
  clearTimeout(timer);
  worker?.terminate();
  worker = undefined;
  if (running) {
    running.said.textContent = words;
    running.result.ariaBusy = "false";
  }
  running = undefined;
};

/** @param {Cell} cell */
const run = (cell) => {
  end("Ended, because another run began.");
  cells.forEach((each) => mark(each));
  running = latest = cell;
  cell.result.ariaBusy = "true";
  const output = new Text();
  cell.printed.replaceChildren(output);
  cell.error.textContent = "";
  cell.said.textContent = "Fetching Python …";

  const above = cells.slice(0, cells.indexOf(cell));
  const texts = [...above, cell].map(textOf);
  const edited = above.filter(isEdited).map((each) => cells.indexOf(each) + 1);
  const note = edited.length ? ` Block ${edited.join(", ")} ran as edited.` : "";
  cell.result.classList.toggle("run-edited", Boolean(note) || isEdited(cell));
  let turned = false; // from the blocks above to this one
  let limit = false; // of the page's Python was met
  timer = setTimeout(() => {
    cell.said.textContent = `Python has not arrived after ${PATIENCE} seconds. Wait on, or press Run to try again.`;
  }, PATIENCE * 1000);

  try {
    worker = new Worker(new URL("run-worker.js", import.meta.url));
  } catch {
    end("This browser has no workers, so Python cannot run here. Copy the block instead.");
    return;
  }
  const mine = worker; // what an ended one still says is not heard
  worker.onerror = (event) => {
    event.preventDefault();
    if (worker !== mine) return;
    end("Python did not arrive, or this browser cannot run it. Press Run to try again.");
  };
  worker.onmessage = ({ data }) => {
    if (worker !== mine) return;
    if (data.kind === "started") {
      cell.said.textContent = "Running …";
      clearTimeout(timer);
      timer = setTimeout(() => {
        const which = turned ? "this block" : "a block above";
        end(`Stopped after ${SECONDS} seconds: ${which} had not come to its end.${note}`);
      }, SECONDS * 1000);
    } else if (data.kind === "turned") {
      turned = true;
    } else if (data.kind === "printed") {
      output.appendData(data.text);
      if (data.cut) {
        end(`Stopped: it prints more than ${CHARACTERS} characters, and these are the first.${note}`);
      }
    } else if (data.kind === "failed") {
      cell.error.textContent = data.text;
      limit = data.limit;
      for (const [number, line] of data.faults) {
        if (textOf(cells[number]) === texts[number]) mark(cells[number], line);
      }
    } else {
      const words = limit ? LIMIT : ending(cell, turned, texts);
      end([words, note].join("").trim());
    }
  };
  worker.postMessage({ cells: texts, characters: CHARACTERS });
};

/**
 * The names that code defines at the left margin, as far as a simple rule sees.
 * @param {string} text
 */
const defined = (text) => {
  const found = text.matchAll(/^(?:(?:def|class) +(\w+)|(\w+(?:, *\w+)*) *(?::[^=\n]*)?=(?!=))/gm);
  return [...new Set([...found].map(([, name, names]) => name ?? names))].join(", ");
};

/**
 * What to say of a run that came to its end.
 * @param {Cell} cell
 * @param {boolean} turned whether its turn came, after the blocks above
 * @param {string[]} texts that ran
 */
const ending = (cell, turned, texts) => {
  const error = cell.error.textContent ?? "";
  if (error.includes("ModuleNotFoundError")) return "Nothing but math can be imported here.";
  if (error && !turned && !cell.box.classList.contains("run-fault")) {
    return "A block above fails, and this one needs it.";
  }
  if (error || cell.printed.textContent) return "";
  const names = defined(texts[texts.length - 1]);
  return names ? `Defined ${names}. To see a value, press Edit and add print(…).` : "It prints nothing.";
};

// Editing: an ordinary text field, which knows undo, pasting and Tab by itself.

/** @param {Cell} cell */
const edit = (cell) => {
  if (!cell.editor.isConnected) {
    cell.editor.value = cell.text;
    cell.editor.rows = cell.text.split("\n").length + 1;
    cell.code.hidden = true;
    cell.code.after(cell.editor);
  }
  cell.result.before(corners);
  cell.editor.focus();
};

/** @param {Cell} cell */
const reset = (cell) => {
  const changed = isEdited(cell);
  if (cell.result.previousSibling === corners) corners.remove();
  cell.editor.remove();
  cell.code.hidden = false;
  cell.box.removeAttribute("data-copy");
  clear(cell, changed);
};

/** @param {HTMLTextAreaElement} editor */
const breakLine = (editor) => {
  const before = editor.value.slice(0, editor.selectionStart);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
  const deeper = /:\s*(#[^"']*)?$/.test(line) ? (indent.includes("\t") ? "\t" : "    ") : "";
  // The only way that keeps undo; see the standard's note on execCommand.
  document.execCommand("insertText", false, `\n${indent}${deeper}`);
};

/** @param {Cell} cell */
const listen = (cell) => {
  cell.editor.addEventListener("input", () => {
    cell.editor.rows = cell.editor.value.split("\n").length + 1;
    cell.box.dataset.copy = cell.editor.value; // what Material's copy button takes
    mark(cell);
  });
  cell.editor.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    if (event.ctrlKey || event.metaKey) {
      run(cell);
    } else if (!event.shiftKey) {
      breakLine(cell.editor);
    } else {
      return;
    }
    event.preventDefault();
  });
};

/**
 * The row of buttons below a block.
 * @param {Cell} cell @param {string} name @param {string} count
 */
const bar = (cell, name, count) => {
  /** @param {string} textContent @param {() => void} press */
  const button = (textContent, press) => {
    const made = make("button", { type: "button", textContent });
    made.addEventListener("click", press);
    return made;
  };
  const runs = button("Run", () => run(cell));
  const edits = button("Edit", () => {
    edit(cell);
    resets.disabled = false;
  });
  const resets = button("Reset", () => {
    reset(cell);
    edits.focus(); // a button that is out of use would lose it
    resets.disabled = true;
  });
  resets.disabled = true;
  const group = { className: "run-bar", role: "group", ariaLabel: name };
  return make("div", group, runs, edits, resets, make("span", { textContent: count }));
};

/** @param {HTMLElement} box @param {number} index @param {number} total */
const dress = (box, index, total) => {
  const name = `Block ${index + 1}`;
  const code = /** @type {HTMLElement} */ (box.querySelector("pre > code"));
  const text = (code.textContent ?? "").trimEnd();
  const printed = make("pre", { className: "run-printed", tabIndex: 0, ariaLabel: `${name}: output` });
  const error = make("pre", { className: "run-error", tabIndex: 0, ariaLabel: `${name}: error` });
  const said = make("p", { className: "run-said" });
  const result = make("div", { className: "run-result", role: "status" }, printed, error, said);
  const editor = make("textarea", { className: "run-editor", ariaLabel: `${name}: Python to edit` });
  Object.assign(editor, { autocapitalize: "off", autocomplete: "off", spellcheck: false });
  editor.setAttribute("aria-describedby", corners.id);
  const cell = { box, code, text, editor, result, printed, error, said };
  cells.push(cell);
  listen(cell);
  box.append(bar(cell, name, `block ${index + 1} of ${total}`), result);
};

/** Say below the other blocks how they are run. */
const note = () => {
  const links = ["py", "ipynb"].map((kind) => {
    const link = document.querySelector(`article a[href$=".${kind}"]`);
    return make("a", { href: link?.getAttribute("href") ?? "", textContent: `.${kind}` });
  });
  for (const box of document.querySelectorAll(".language-python.highlight:not(.run)")) {
    const [script, notebook] = links.map((link) => link.cloneNode(true));
    const words = ["Needs PyTorch: copy it, or take the page as ", script, " or ", notebook, "."];
    box.append(make("p", { className: "run-note" }, ...words));
  }
};

const boxes = [...document.querySelectorAll(".highlight.run")];
boxes.forEach((box, index) => dress(/** @type {HTMLElement} */ (box), index, boxes.length));
note();
for (const box of document.querySelectorAll(".language-python.highlight")) box.classList.add("ready");
