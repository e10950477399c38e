/** Rules of the fields of a request to the Messages API. */

import { type Rule, unknownKey } from '../rule.ts';
import type { GivenBlocks } from './given.ts';

const DOCS = 'https://platform.claude.com/docs/en/api/messages';

/** Fields of the API, of those betas that the product knows, and of Bedrock. */
const FIELDS = new Set([
  'model',
  'messages',
  'max_tokens',
  'stream',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'metadata',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'service_tier',
  'container',
  'context_management',
  'mcp_servers',
  'output_config',
  'output_format',
  'cache_control',
  'inference_geo',
  'speed',
  'fallbacks',
  'thread',
  'anthropic_version',
  'anthropic_beta',
]);

export const fieldRules: readonly Rule<GivenBlocks>[] = [
  {
    name: 'the body has the fields of the API',
    source: 'https://github.com/UKGovernmentBEIS/inspect_ai/pull/3208',
    check({ body }) {
      const key = unknownKey(body, FIELDS);
      return key === undefined ? undefined : `${key}: Extra inputs are not permitted`;
    },
  },
  {
    name: 'the model is named',
    source: DOCS,
    check: ({ body: { model } }) =>
      typeof model === 'string' && model !== '' ? undefined : 'model: Field required',
  },
  {
    name: 'max_tokens is a whole number above 0',
    source: DOCS,
    check({ body: { max_tokens: most } }) {
      if (most === undefined) return 'max_tokens: Field required';
      if (!Number.isInteger(most))
        return 'max_tokens: Input should be a valid integer, got a number with a fractional part';
      return Number(most) > 0 ? undefined : 'max_tokens: Input should be greater than or equal to 1';
    },
  },
  {
    name: 'messages are a list',
    source: DOCS,
    check: ({ body: { messages } }) =>
      Array.isArray(messages) ? undefined : 'messages: Input should be a valid list',
  },
];
