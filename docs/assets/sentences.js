// @ts-check
// The sentences of mha/experiment/grammar.py, and what a model makes of them.

import { readSentence } from "./attention.js";

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
export const SLOTS = ["WHO", "DID", "WHAT", "WHOM", "WHERE"];

/**
 * @typedef {object} Model a file of docs/measured
 * @property {string[]} vocabulary
 * @property {number} context_length
 * @property {Record<string, string[]>} answers from which each question chooses
 * @property {Record<string, any>} weights
 */

/** The words of a text; large letters do not matter. @param {string} text @param {Model} model */
export const wordsOf = (text, { vocabulary, context_length, answers }) => {
  const marks = /[\s,:;!?"“”„«»]+|\B['‘’‚]|['‘’‚]\B/; // no apostrophe
  const said = text.replace(/[\s\p{P}]+$/u, "").split(marks).filter(Boolean);
  if (!said.length) throw new Error("A sentence needs at least one word, got none.");
  if (said.length >= context_length) {
    throw new Error(`A sentence may have at most ${context_length - 1} words, got ${said.length}.`);
  }
  const known = new Map(vocabulary.map((word) => [word.toLowerCase(), word]));
  const words = said.map((word) => {
    const found = known.get(word.toLowerCase());
    if (found) return found;
    const short = word.length > 16 ? `${word.slice(0, 16)}…` : word;
    const inLists = Object.values(answers).flat();
    const others = vocabulary.filter((other) => other !== "." && !inLists.includes(other));
    throw new Error(`The model knows the words of the lists above, and “${others.join("”, “")}”; got “${short}”.`);
  });
  return [...words, "."];
};

/** @param {string[]} words */
export const written = (words) => {
  const text = `${words.slice(0, -1).join(" ")}.`;
  return text[0].toUpperCase() + text.slice(1);
};

/** @param {string[]} order @param {string[]} meant the word of each role */
export const say = (order, meant) => order.map((slot) => meant[SLOTS.indexOf(slot)] ?? slot);

/** Which order a sentence has, and which word each role. @param {string[]} words @param {Model} model */
export const understand = (words, model) => {
  const kinds = Object.values(model.answers);
  for (const order of ORDERS) {
    const meant = SLOTS.map((slot) => words[order.indexOf(slot)]);
    const fits = meant.every((word, role) => kinds[role].includes(word));
    if (fits && `${say(order, meant)}` === `${words}`) return { order, meant };
  }
};

/** The right answers, if an order tells them. @param {string[]} words @param {Model} model */
export const rightAnswers = (words, model) => {
  const meant = understand(words, model)?.meant;
  if (!meant) return undefined;
  const [, , things, , places, banks] = Object.values(model.answers);
  const kind = meant[4] === places[0] ? things.indexOf(meant[2]) % 2 : 2; // in turn of a river, of a robbery
  return [...meant, banks[kind]];
};

/**
 * Where every head looks, and what the model answers.
 * @param {Model} model @param {string[]} words @param {boolean[]} on @param {boolean} masked
 */
export const ask = (model, words, on, masked) => {
  const tokens = words.map((word) => model.vocabulary.indexOf(word));
  const { attn_weights, scores } = readSentence(tokens, model.weights, on, masked);
  let start = 0;
  const given = Object.values(model.answers).map((choice) => {
    const own = scores.slice(start, (start += choice.length));
    return choice[own.indexOf(Math.max(...own))];
  });
  return { attn_weights, scores, given };
};
