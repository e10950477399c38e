/** Ways of serving a call that have a price of their own. Servers name them in the usage of a reply. */
export const servingModes = [
  /** OpenAI's and Anthropic's batch tier. */
  'batch',
  /** OpenAI's flex processing. */
  'flex',
  /** Priority processing at OpenAI, and committed capacity at Anthropic. */
  'priority',
  /** OpenAI's scale tier, which is paid for in advance. */
  'scale',
  /** Anthropic's fast mode. */
  'fast',
  /** Inference in the US only, at Anthropic. */
  'us',
] as const;
export type ServingMode = (typeof servingModes)[number];

/** Parts of a model call's bill, known or possible, that its `costUsd` may be missing. */
export const unpriced = [
  /** All of its tokens: the model's price is unknown. */
  'tokens',
  /** Web searches that the server ran. */
  'web_search',
  /** Time in the server's code execution containers, which is billed by the hour. */
  'code_execution',
  /** Tokens of another model that the server asked. */
  'other_model',
  /** Audio tokens, which are charged as text. */
  'audio',
  /** The surcharge or discount of a {@link ServingMode} without a price. */
  ...servingModes,
  /** The server names a tier, a speed or a region that is none of these. */
  'other_mode',
] as const;
export type Unpriced = (typeof unpriced)[number];
