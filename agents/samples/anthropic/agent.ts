/**
 * Claude, over Anthropic's own API: the server that a definition has when it declares none. Its key is the secret
 * ANTHROPIC_API_KEY.
 */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

export const agent = defineAgent({
  name: 'on-anthropic',
  version: '1',
  model: {
    name: 'claude-sonnet-5-5',
    maxTokens: 8192,
    // Sent as it is. Without `display`, clients see nothing while the model thinks.
    request: { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
    // The price is known, and pinned when a session begins.
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  limits: { costLimitUsd: 1 },
});
