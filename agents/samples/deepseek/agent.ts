/**
 * DeepSeek, over its endpoint for the Messages API. That one, and not its Chat Completions, because with tools its
 * thinking must be sent back, and only this API has a place for it that is the same everywhere.
 *
 * Name DeepSeek's own models: it answers to names of Claude too, silently with another model.
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

/** For `models` of the definition. */
export const models = {
  primary: {
    baseUrl: 'https://api.deepseek.com/anthropic',
    auth: 'both' as const,
    secret: 'DEEPSEEK_API_KEY',
  },
};

export const agent = defineAgent({
  name: 'on-deepseek',
  version: '1',
  model: { name: 'deepseek-v4-pro', maxTokens: 8192 },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  limits: { costLimitUsd: 1 },
});
