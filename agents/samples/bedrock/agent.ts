/**
 * Claude on Amazon Bedrock, over its endpoint for the Messages API, with a Bedrock API key as bearer token. No other
 * package and no signing is needed. The secret BEDROCK_API_KEY is a long-term key; short-term ones last 12 hours at most.
 *
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

/** For `models` of the definition. Say your region. */
export const models = {
  primary: {
    baseUrl: 'https://bedrock-mantle.eu-central-1.api.aws/anthropic',
    secret: 'BEDROCK_API_KEY',
  },
};

export const agent = defineAgent({
  name: 'on-bedrock',
  version: '1',
  model: {
    // Bedrock's name for it; `GET /v1/models` of the endpoint lists what your account has.
    name: 'anthropic.claude-sonnet-5-5',
    maxTokens: 8192,
    // What your account pays. Without it, the price is the one that the built-in table has for this name.
    price: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  limits: { costLimitUsd: 1 },
});
