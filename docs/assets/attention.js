// @ts-check
// mha/fused.py and mha/experiment/model.py for one text. A matrix is a list of rows.

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
 * Attend with all heads; one that is not on brings nothing.
 * @param {Matrix} x @param {Weights} weights @param {boolean[]} on @param {boolean} masked
 */
export const attend = (x, weights, on, masked) => {
  const keys = times(x, weights["attention.W_key.weight"]); // (num_tokens, d_out)
  const queries = times(x, weights["attention.W_query.weight"]);
  const values = times(x, weights["attention.W_value.weight"]);
  const head_dim = keys[0].length / on.length;

  const heads = on.map((brings, head) => {
    /** @param {Matrix} a */
    const split = (a) => a.map((row) => row.slice(head * head_dim, (head + 1) * head_dim)); // (num_tokens, head_dim)
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
 * Score the answers from what the last token brings home.
 * @param {number[]} tokens @param {Weights} weights @param {boolean[]} on @param {boolean} masked
 */
export const readSentence = (tokens, weights, on, masked) => {
  const [word, position] = [weights["word.weight"], weights["position.weight"]];
  const x = tokens.map((token, i) => plus([word[token]], position[i])[0]); // (num_tokens, d_in)
  const { attn_weights, context_vec } = attend(x, weights, on, masked);
  const [scores] = plus(times(context_vec.slice(-1), weights["read_out.weight"]), weights["read_out.bias"]);
  return { attn_weights, scores };
};
