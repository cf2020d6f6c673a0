// @ts-check
// The sentences of mha/experiment/grammar.py, and what a model makes of them.

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

/**
 * @typedef {object} Model a file of docs/measured
 * @property {string[]} vocabulary
 * @property {number} context_length
 * @property {Record<string, string[]>} answers by question: first the roles', then which bank
 * @property {Record<string, any>} weights a state_dict as lists
 */

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
export const written = (words) => {
  const text = `${words.slice(0, -1).join(" ")}.`;
  return text[0].toUpperCase() + text.slice(1);
};

/** @param {Model} model the words of each role */
export const kinds = (model) => Object.values(model.answers).slice(0, SLOTS.length);

/** @param {string[]} order @param {number[]} meant for each role, which of its words @param {Model} model */
export const say = (order, meant, model) =>
  order.map((slot) => (SLOTS.includes(slot) ? kinds(model)[SLOTS.indexOf(slot)][meant[SLOTS.indexOf(slot)]] : slot));

/**
 * Which order a sentence has, and which word each role.
 * @param {string[]} words @param {Model} model
 */
export const understand = (words, model) => {
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
 * @param {Model} model @param {string[]} words @param {boolean[]} on for each head @param {boolean} masked
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
