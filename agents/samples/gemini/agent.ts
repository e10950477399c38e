/**
 * Google's Gemini over its own API. Signatures of its thoughts go back with each request, so it keeps its reasoning between calls.
 *
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

/** For `models` of the definition. */
export const models = {
  google: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta', secret: 'GEMINI_API_KEY' },
};

export const agent = defineAgent({
  name: 'on-gemini',
  version: '1',
  model: {
    provider: 'gemini',
    server: 'google',
    name: 'gemini-3.8-flash',
    accepts: ['image', 'document'],
    // People see summaries of the thoughts.
    request: { generationConfig: { thinkingConfig: { thinkingLevel: 'low', includeThoughts: true } } },
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  limits: { costLimitUsd: 1 },
});
