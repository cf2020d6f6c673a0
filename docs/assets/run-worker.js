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
worker.prompt = () => {
  throw new Error("nobody can answer input() in this page");
};

const MAIN = "__main__";
const TURN = "\0"; // written between the cells above and the cell to show
let turned = false;
let room = 0; // how many characters the page still takes; a flood would block it
let trace = "";

/** @param {string} text what Python prints */
worker.write = (text) => {
  if (text === TURN) {
    turned = true;
    worker.postMessage({ kind: "turned" });
  } else if (turned && room >= 0) {
    worker.postMessage({ kind: "printed", text: text.slice(0, room), cut: text.length > room });
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
    trace ||= String(error);
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
      return { cell: index, trace: python.error_trace(python.exception(error)) };
    }
  }
};

/**
 * Say what went wrong as CPython does, with the numbers of cells and of lines in them.
 * @param {string} words
 * @param {(line: number) => [number, number]} place from a line of the source to cell and line
 */
const tell = (words, place) => {
  /** @type {[number, number][]} */
  const faults = [];
  const text = words
    .replace(/File "[^"]*", line (\d+)/g, (_, line) => {
      const [cell, number] = place(Number(line));
      faults.push([cell, number]);
      return `File "block ${cell + 1}", line ${number}`;
    })
    .replace("JavascriptError: Maximum call stack size exceeded", "RecursionError: maximum recursion depth exceeded")
    .replace("JavascriptError: ", "")
    .replace(/ \(warning: cannot import local files.*?\)/, "")
    .trim();
  worker.postMessage({ kind: "failed", text, faults });
};

/**
 * Run all cells as one source, so that a function of an earlier one has its right line.
 * @param {string[]} cells the last of them is the one to show
 */
const runAll = (cells) => {
  const wrong = misspelt(cells);
  if (wrong) {
    tell(wrong.trace, (line) => [wrong.cell, line]);
    return;
  }
  const turn = `__import__("_sys").stdout.write("\\0")`;
  const sources = [...cells.slice(0, -1), turn, ...cells.slice(-1)];
  const firsts = [1]; // the line on which each source begins
  for (const source of sources) firsts.push(firsts[firsts.length - 1] + source.split("\n").length);
  firsts.splice(cells.length - 1, 1); // nobody asks for the turn
  const words = run(sources.join("\n"));
  if (words) {
    tell(words, (line) => {
      const cell = cells.findLastIndex((_, i) => firsts[i] <= line);
      return [cell, line - firsts[cell] + 1];
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
