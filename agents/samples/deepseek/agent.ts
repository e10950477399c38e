/**
 * DeepSeek, over its endpoint for the Messages API. It does not use Chat Completions, because with tools its thinking must be
 * sent back, and only the Messages API has a standard place for it.
 *
 * Use DeepSeek's own model names: for names of Claude it silently answers with a different model.
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
