// @ts-check
// Python in a worker, which the page may end at any time. It runs one list of cells, from
// the first to the last, and tells the page what the last one prints and where it stops.

/** @type {any} */
const worker = self;
// Brython asks the server for every module that it does not have, unless it believes to be
// opened as a file; and it writes its own errors to the console.
for (const name of ["debug", "error", "info", "log", "warn"]) worker.console[name] = () => {};
worker.importScripts("vendor/brython.js", "vendor/brython-modules.js");
const python = worker.__BRYTHON__;
python.protocol = "file";
// Code in the page asks no host.
for (const name of ["EventSource", "WebSocket", "XMLHttpRequest", "fetch", "importScripts"]) {
  worker[name] = undefined;
}

/**
 * What a built-in function does here instead.
 * @param {string} name
 * @param {string} words why it cannot do more
 */
const refuse = (name, words) => {
  python.builtins[name] = () => python.RAISE(python.builtins.OSError, words);
};
refuse("input", "nobody can answer input() in this page");
refuse("open", "code in this page has no files");

const MAIN = "__main__";
const TURN = "\0"; // written once, between the cells above and the cell to show
let turned = false;
let room = 0; // how many characters the page still takes; a flood would block it
let trace = "";

/** @param {string} text what Python prints */
worker.write = (text) => {
  if (!turned && text === TURN) {
    turned = true;
    worker.postMessage({ kind: "turned" });
  } else if (turned && room >= 0 && text) {
    const shown = text.slice(0, room).replace(/[\uD800-\uDBFF]$/, ""); // no half of a character
    worker.postMessage({ kind: "printed", text: shown, cut: text.length > room });
    room -= text.length;
  }
};
/** @param {string} text what Python writes about an error */
worker.complain = (text) => {
  trace += text;
};
const PRELUDE = `
import _sys
from browser import self as worker
class Out:
    def __init__(self, write):
        self.write = write
    def flush(self):
        pass
_sys.stdout = Out(worker.write)
_sys.stderr = Out(worker.complain)
`;
python.runPythonSource(PRELUDE, "prelude");

// Lines as CPython names them. Brython takes the place of an unexpected indent from the end of
// the source, and of an error from the statement that a frame was at last: not the first line
// of a call of several lines, but where in it, and not the `finally` that ran on the way out.

const { decode_position, error_trace, set_exc, set_lineno } = python;
const { None, IndentationError } = python.builtins;
const { set_syntax_error } = python._PyPegen;
const { to_js } = python.ast.Try.prototype;

/** @param {any} parser @param {any} token where it got stuck */
python._PyPegen.set_syntax_error = (parser, token) => {
  if (token.num_type === python.py_tokens.INDENT) {
    const { lineno, line } = token;
    python.raise_error_known_location(IndentationError, parser.filename, lineno, 0, lineno, 0, line, "unexpected indent");
  }
  return set_syntax_error(parser, token);
};
python.set_lineno = (/** @type {any} */ frame, /** @type {any[]} */ ...rest) => {
  frame.inum = undefined; // the part of the statement before
  return set_lineno(frame, ...rest);
};
// A stack that is full leaves frames without a place.
python.decode_position = (/** @type {any} */ place) => place && decode_position(place);
/** Put the line of the failing part into each frame. @param {any} error */
const refine = (error) => {
  for (let at = error.__traceback__ ?? None; at !== None; at = at.tb_next) {
    const { inum, positions } = at.tb_frame;
    const place = inum && positions?.[Math.floor(inum / 2)];
    if (place) at.tb_lineno = decode_position(place)[0];
  }
};
python.set_exc = (/** @type {any} */ error, /** @type {any} */ frame) => {
  const isNew = error.__traceback__ === None;
  set_exc(error, frame);
  if (isNew) refine(error);
};
python.ast.Try.prototype.to_js = function (/** @type {any} */ scopes) {
  const { finalbody } = this;
  if (finalbody.length && !(finalbody.at(-1) instanceof python.ast.Return)) {
    const [keep, restore] = ["const { $lineno, inum } = frame;", "Object.assign(frame, { $lineno, inum });"]
      .map((js) => ({ to_js: () => js, col_offset: 0 }));
    this.finalbody = [keep, ...finalbody, restore];
  }
  return to_js.call(this, scopes);
};
python.warn = (/** @type {any} */ kind, /** @type {string} */ words, /** @type {string} */ file, /** @type {any} */ at) =>
  worker.complain(`File "${file}", line ${at.lineno}\n${python.get_name(kind)}: ${words}\n`);

/**
 * Run Python as the main module.
 * @param {string} source
 * @returns {string} what Python says of an error, or nothing
 */
const run = (source) => {
  trace = "";
  try {
    python.runPythonSource(source, MAIN);
  } catch (error) {
    trace ||= `JavascriptError: ${error}`;
  }
  return trace;
};

/**
 * The first cell that is no Python. Each is read by itself: a bracket that is left open in
 * one shall not swallow the next.
 * @param {string[]} cells
 * @returns {{ cell: number, trace: string } | undefined}
 */
const misspelt = (cells) => {
  for (const [index, cell] of cells.entries()) {
    python.file_cache[MAIN] = cell; // for the message
    try {
      python.pythonToAST(cell, MAIN);
    } catch (error) {
      return { cell: index, trace: error_trace(python.exception(error)) };
    }
  }
};

/**
 * Say what went wrong as CPython does, with the numbers of cells and of lines in them.
 * @param {string} words
 * @param {(line: number) => [number, number] | undefined} place from a line of the source to cell and line
 */
const tell = (words, place) => {
  /** @type {[number, number][]} */
  const faults = [];
  const text = words
    .replace(/^( *File )"(.*)", line (\d+)(.*(\n {4}.*)*\n)/gm, (_, start, file, line, rest) => {
      const found = file.endsWith(MAIN) ? place(Number(line)) : undefined;
      if (!found) return ""; // rather no line than a wrong one
      faults.push(found);
      return `${start}"block ${found[0] + 1}", line ${found[1]}${rest}`;
    })
    .replace("JavascriptError: Maximum call stack size exceeded", "RecursionError: maximum recursion depth exceeded")
    .replace(/ \(warning: cannot import local files.*?\)/, "")
    .trim();
  const limit = text.includes("JavascriptError: "); // not of Python
  const lines = text.replace("JavascriptError: ", "").split("\n");
  if (lines.length > 60) lines.splice(20, lines.length - 40, `… ${lines.length - 40} lines more …`);
  worker.postMessage({ kind: "failed", text: lines.join("\n"), faults, limit });
};

/**
 * Run all cells as one source, so that a function of an earlier one has its right line.
 * @param {string[]} cells the last of them is the one to show
 */
const runAll = (cells) => {
  const wrong = misspelt(cells);
  if (wrong) {
    const last = cells[wrong.cell].trimEnd().split("\n").length; // where what is missing is missed
    tell(wrong.trace, (line) => [wrong.cell, Math.min(line, last)]);
    return;
  }
  const turn = `__import__("_sys").stdout.write("\\0")`;
  const sources = [...cells.slice(0, -1), turn, ...cells.slice(-1)];
  const firsts = [1]; // the line on which each source begins
  for (const source of sources) firsts.push(firsts[firsts.length - 1] + source.split("\n").length);
  const [own] = firsts.splice(cells.length - 1, 1); // the line of the turn is nobody's
  const words = run(sources.join("\n"));
  if (words) {
    tell(words, (line) => {
      const cell = cells.findLastIndex((_, i) => firsts[i] <= line);
      return line === own ? undefined : [cell, line - firsts[cell] + 1];
    });
  }
};

/** @param {{ data: { cells: string[], characters: number } }} message */
worker.onmessage = ({ data }) => {
  room = data.characters;
  worker.postMessage({ kind: "started" });
  runAll(data.cells);
  worker.postMessage({ kind: "ended" });
};
