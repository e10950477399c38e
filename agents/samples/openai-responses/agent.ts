/**
 * OpenAI's Responses API, for a model that thinks between its calls. OpenAI stores nothing of the conversation: the reasoning goes
 * back in encrypted form with each request.
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

/** For `models` of the definition. */
export const models = { openai: { baseUrl: 'https://api.openai.com/v1', secret: 'OPENAI_API_KEY' } };

export const agent = defineAgent({
  name: 'on-openai-responses',
  version: '1',
  model: {
    provider: 'openai-responses',
    server: 'openai',
    name: 'gpt-5.2',
    accepts: ['image', 'document'],
    // People see summaries of the reasoning.
    request: { reasoning: { effort: 'medium', summary: 'auto' } },
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  limits: { costLimitUsd: 1 },
});
