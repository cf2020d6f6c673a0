// @ts-check
// Material's search, loaded with the first word that somebody looks for: its index and
// the program that reads it would weigh as much as all the rest of a page.
// Material starts this worker in place of its own, whose address stands behind the "?".

/** Material's messages, by their numbers. */
const SETUP = 0, READY = 1, QUERY = 2, RESULT = 3;

const FAILED = "The search did not load. Here are the questions that people asked.";

/** The query that came last. */
let last = { type: QUERY, data: "" };

/** @type {Promise<void> | undefined} */
let loading;

let loaded = false;

/** @param {{ type: number, data: any }} message */
const tell = (message) => dispatchEvent(new MessageEvent("message", { data: message }));

async function load() {
  const answer = await fetch("../search/search_index.json");
  const { config, docs } = await answer.json();
  importScripts(location.search.slice(1));
  tell({ type: SETUP, data: { config, docs, options: { suggest: true } } });
  await new Promise((resolve) => setTimeout(resolve)); // Material answers a turn later
  loaded = true;
  tell(last);
}

function fail() {
  loading = undefined;
  const item = { location: "questions/", title: FAILED, text: "", score: 1, terms: {} };
  postMessage({ type: RESULT, data: { items: [[item]] } });
}

addEventListener("message", ({ data: message }) => {
  if (message.type !== QUERY) return;
  // "^2" doubles a word's weight in a query; in "W^O" it is a mere sign.
  message.data = message.data.replace(/\^(?!\d)/g, " ");
  if (loaded) return; // Material's own worker reads the message next
  last = message;
  if (message.data) loading ??= load().catch(fail);
  else postMessage({ type: RESULT, data: { items: [] } });
});

postMessage({ type: READY });
