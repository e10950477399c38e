/** Claude, over Anthropic's own API: the default server of a definition that declares none. Its key is the secret ANTHROPIC_API_KEY. */

import { defineAgent } from 'steploop';
import { countWords } from '../count-words.ts';

export const agent = defineAgent({
  name: 'on-anthropic',
  version: '1',
  model: {
    name: 'claude-sonnet-5-5',
    maxTokens: 8192,
    // Sent unchanged. Without `display`, clients see nothing while the model thinks.
    request: { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
    // The price is in the built-in table, and pinned when a session begins.
  },
  system: 'You edit short texts. Say how many words your result has.',
  tools: [countWords],
  limits: { costLimitUsd: 1 },
});
