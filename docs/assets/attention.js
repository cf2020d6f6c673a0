// @ts-check
// The layer of mha/fused.py and the model of mha/experiment/model.py for one text, in plain
// JavaScript and under the same names. A matrix is a list of rows.

/** @typedef {number[][]} Matrix */

/** @typedef {Record<string, any>} Weights a state_dict as lists */

/** Every row of a with every row of b: a @ b.T. @param {Matrix} a @param {Matrix} b */
const times = (a, b) => a.map((row) => b.map((other) => row.reduce((sum, value, i) => sum + value * other[i], 0)));

/** @param {Matrix} a */
const transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));

/** @param {Matrix} a @param {number[]} bias */
const plus = (a, bias) => a.map((row) => row.map((value, j) => value + bias[j]));

/** @param {number[]} scores */
const softmax = (scores) => {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
};

/**
 * Attend with all heads.
 * @param {Matrix} x a text, (num_tokens, d_in)
 * @param {Weights} weights
 * @param {boolean[]} on for each head, whether it brings anything
 * @param {boolean} masked whether later tokens are hidden
 */
export const attend = (x, weights, on, masked) => {
  const keys = times(x, weights["attention.W_key.weight"]); // (num_tokens, d_out)
  const queries = times(x, weights["attention.W_query.weight"]);
  const values = times(x, weights["attention.W_value.weight"]);
  const head_dim = keys[0].length / on.length;

  const heads = on.map((brings, head) => {
    /** @param {Matrix} a its columns of this head, (num_tokens, head_dim) */
    const split = (a) => a.map((row) => row.slice(head * head_dim, (head + 1) * head_dim));
    const attn_scores = times(split(queries), split(keys)).map((row, query) =>
      row.map((score, key) => (masked && key > query ? -Infinity : score / head_dim ** 0.5)),
    ); // (num_tokens, num_tokens)
    const attn_weights = attn_scores.map(softmax);
    const context_vec = times(attn_weights, transpose(split(values))); // (num_tokens, head_dim)
    return { attn_weights, context_vec: context_vec.map((row) => row.map((value) => (brings ? value : 0))) };
  });

  const context_vec = x.map((_, token) => heads.flatMap((head) => head.context_vec[token])); // (num_tokens, d_out)
  return {
    attn_weights: heads.map((head) => head.attn_weights), // (num_heads, num_tokens, num_tokens)
    context_vec: plus(times(context_vec, weights["attention.out_proj.weight"]), weights["attention.out_proj.bias"]),
  };
};

/**
 * Read a sentence, and score the answers from what its last token brings home.
 * @param {number[]} tokens numbers of words, the full stop last
 * @param {Weights} weights
 * @param {boolean[]} on
 * @param {boolean} masked
 */
export const readSentence = (tokens, weights, on, masked) => {
  const x = tokens.map((token, i) =>
    weights["word.weight"][token].map((value, j) => value + weights["position.weight"][i][j]),
  );
  const { attn_weights, context_vec } = attend(x, weights, on, masked);
  const brought = context_vec.slice(-1);
  const [scores] = plus(times(brought, weights["read_out.weight"]), weights["read_out.bias"]);
  return { attn_weights, scores };
};
