/**
 * Any server of the Chat Completions API: vLLM, LM Studio, llama.cpp, OpenRouter, OpenAI itself. Here it is the main server of a
 * deployment that also has Anthropic's, which takes over if it fails.
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

/** For `models` of the definition. */
export const models = {
  own: { baseUrl: 'https://models.example.com/v1', secret: 'OWN_MODEL_KEY' },
  primary: { baseUrl: 'https://api.anthropic.com', secret: 'ANTHROPIC_API_KEY' },
};

export const agent = defineAgent({
  name: 'on-openai-compatible',
  version: '1',
  model: {
    // The model was not trained to call tools, so it is taught to write its calls as text. With 'openai', calls use the API.
    provider: 'openai-xml',
    server: 'own',
    name: 'my-model',
    maxTokens: 4096,
    price: { input: 0.2, output: 0.6 },
    // Sent unchanged.
    request: { temperature: 0.2 },
    // Tried in order; the rest of the run stays with the one that answers.
    fallbacks: [{ name: 'claude-sonnet-5-5', server: 'primary' }],
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  limits: { costLimitUsd: 1 },
});
