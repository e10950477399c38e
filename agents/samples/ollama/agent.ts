/**
 * A model of your own on Ollama, over its Chat Completions.
 *
 *     ModelBaseUrl = http://<host>:11434/v1
 *     ModelAuth    = bearer                           (Ollama looks at no key; the random one does no harm)
 *
 * The functions must be able to reach the host: deployed, that is a server in your network and a VPC for the step
 * function; with `npm start`, ANTHROPIC_BASE_URL or OPENAI_BASE_URL (the second server) on your machine.
 *
 * Set the context on the server (OLLAMA_CONTEXT_LENGTH): its default is short, and it drops what does not fit without
 * a word.
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

export const agent = defineAgent({
  name: 'on-ollama',
  version: '1',
  model: {
    // 'openai-xml' for a model whose page on ollama.com does not say "tools".
    provider: 'openai',
    name: 'qwen3:8b',
    maxTokens: 4096,
    price: { input: 0, output: 0 },
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  // Small models repeat themselves; tokens are the budget that is left.
  limits: { tokenBudget: 100_000, maxSteps: 15 },
});
