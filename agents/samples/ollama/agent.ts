/**
 * A model of your own on Ollama, over its Chat Completions.
 *
 * The functions must be able to reach the host: in a deployment, a server in your network and a VPC for the step function; on the
 * laptop, your own machine.
 *
 * Set the context on the server (OLLAMA_CONTEXT_LENGTH): its default is short, and it silently drops what does not fit.
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

/** For `models` of the definition. Ollama ignores the key. */
export const models = { ollama: { baseUrl: 'http://127.0.0.1:11434/v1' } };

export const agent = defineAgent({
  name: 'on-ollama',
  version: '1',
  model: {
    // Use 'openai-xml' for a model whose page on ollama.com does not say "tools".
    provider: 'openai',
    server: 'ollama',
    name: 'qwen3:8b',
    maxTokens: 4096,
    price: { input: 0, output: 0 },
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  // Small models repeat themselves, and their tokens cost nothing, so tokens are the only budget.
  limits: { tokenBudget: 100_000, maxSteps: 15 },
});
