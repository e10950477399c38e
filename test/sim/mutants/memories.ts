/** Mutants of agents' memories (`shared/agent/memories`, `shared/memory/memories.ts`). */

import { type Mutant, mutant } from './mutant.ts';

const remember = 'shared/agent/memories/remember.ts';

export const memoryMutants: readonly Mutant[] = [
  mutant(
    'memory: is reported as kept too early',
    remember,
    'const fact = await memories.save(owner, { id, text, at: clock.now(), sessionId: who.sessionId, by });',
    'const fact = { id, text, at: clock.now(), sessionId: who.sessionId, by };\n  void memories.save(owner, fact).catch(() => {});',
  ),
  mutant(
    'memory: a person’s is shared with all',
    remember,
    'return user && { tenant, user: user.subject };',
    'return { tenant };',
  ),
  mutant(
    'memory: a tenant’s is shared with all tenants',
    'shared/memory/memories.ts',
    'JSON.stringify([tenant, user ?? null])',
    'JSON.stringify([tenant && 0, user ?? null])',
  ),
  mutant('memory: a call that is over saves', remember, '  signal.throwIfAborted();\n', ''),
  // A second save finds the fact, or saves it under the same id: either is enough alone, except for two at once.
  mutant(
    'memory: is saved again under another id',
    remember,
    'JSON.stringify([idempotencyKey, text])',
    'JSON.stringify([idempotencyKey, text, Math.random()])',
  ),
];
