/** Mutants of requests on the wire, which only a strict server notices. */

import { type Mutant, mutant } from './mutant.ts';

export const strictMutants: readonly Mutant[] = [
  mutant(
    'wire: a cache marker too many',
    'shared/models/anthropic/request.ts',
    'if (marks.length === 2) return marks;',
    'if (marks.length === 3) return marks;',
  ),
  mutant(
    'wire: a user message right after a result at Mistral',
    'shared/models/openai/order.ts',
    "else if (rules.assistantAfterTool && before?.role === 'tool' && message.role === 'user')",
    "else if (rules.alternate && before?.role === 'tool' && message.role === 'user')",
  ),
  mutant(
    'wire: results under the ids of another server',
    'shared/models/openai/wire-ids.ts',
    'return [byOurs.get(ours) ?? ours];',
    'return [ours];',
  ),
];
