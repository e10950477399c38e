/**
 * A model of your own on Ollama, over its Chat Completions.
 *
 * The functions must be able to reach the host: deployed, that is a server in your network and a VPC for the step
 * function; on the laptop, your own machine.
 *
 * Set the context on the server (OLLAMA_CONTEXT_LENGTH): its default is short, and it drops what does not fit without
 * a word.
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

/** For `models` of the definition. Ollama looks at no key. */
export const models = { ollama: { baseUrl: 'http://127.0.0.1:11434/v1' } };

export const agent = defineAgent({
  name: 'on-ollama',
  version: '1',
  model: {
    // 'openai-xml' for a model whose page on ollama.com does not say "tools".
    provider: 'openai',
    server: 'ollama',
    name: 'qwen3:8b',
    maxTokens: 4096,
    price: { input: 0, output: 0 },
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  // Small models repeat themselves; tokens are the budget that is left.
  limits: { tokenBudget: 100_000, maxSteps: 15 },
});
