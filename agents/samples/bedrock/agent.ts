/**
 * Claude on Amazon Bedrock, over its endpoint for the Messages API, with a Bedrock API key as bearer token. It needs no other
 * package and no signing. The secret BEDROCK_API_KEY is a long-term key; short-term ones last 12 hours at most.
 *
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

/** For `models` of the definition. Set your region. */
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
    // Bedrock's name of the model; `GET /v1/models` of the endpoint lists the models of your account.
    name: 'anthropic.claude-sonnet-5-5',
    maxTokens: 8192,
    // The price of your account. Without it, the built-in table's price for this name applies.
    price: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  limits: { costLimitUsd: 1 },
});
