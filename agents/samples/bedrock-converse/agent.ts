/**
 * Any model on Amazon Bedrock, over the Converse API. The server has no secret: requests are signed by the role of the step
 * function, which the construct grants to ask models. There is no key to rotate.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

/** For `models` of the definition. Set your region. */
export const models = { bedrock: { baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com' } };

export const agent = defineAgent({
  name: 'on-bedrock-converse',
  version: '1',
  model: {
    provider: 'bedrock-converse',
    server: 'bedrock',
    // The id of a model or of an inference profile, or the ARN of a profile.
    name: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    accepts: ['image', 'document'],
    // Fields of one model go into `additionalModelRequestFields`.
    request: { inferenceConfig: { temperature: 0.2 } },
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  limits: { costLimitUsd: 1 },
});
