/**
 * Any server of the Chat Completions API: vLLM, LM Studio, llama.cpp, OpenRouter, OpenAI itself. Here it is the second
 * server of a deployment whose first is Anthropic's, which takes over when it fails.
 *
 *     SecondModelBaseUrl = https://<host>/v1          (the default is OpenAI's own)
 *     SecondModelAuth    = bearer
 *     SecondModelKeySecretArn ← its key
 *     ModelBaseUrl, ModelKeySecretArn                 as in ../anthropic
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

export const agent = defineAgent({
  name: 'on-openai-compatible',
  version: '1',
  model: {
    // The model was not trained to call tools, so it is taught to write its calls down. With 'openai' they are the API's.
    provider: 'openai-xml',
    server: 'secondary',
    name: 'my-model',
    maxTokens: 4096,
    price: { input: 0.2, output: 0.6 },
    // Sent as it is.
    request: { temperature: 0.2 },
    // Tried in order; the rest of the run stays with the one that answers.
    fallbacks: [{ name: 'claude-sonnet-5-5', server: 'primary' }],
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  limits: { costLimitUsd: 1 },
});
