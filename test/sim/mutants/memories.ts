/** Mutants of what agents remember (`shared/agent/memories`, `shared/memory/memories.ts`). */

import { type Mutant, mutant } from './mutant.ts';

const remember = 'shared/agent/memories/remember.ts';

export const memoryMutants: readonly Mutant[] = [
  mutant(
    'memory: is told as kept before it is',
    remember,
    'const fact = await memories.save(owner, { id, text, at: clock.now(), sessionId: who.sessionId, by });',
    'const fact = { id, text, at: clock.now(), sessionId: who.sessionId, by };\n  void memories.save(owner, fact).catch(() => {});',
  ),
  mutant(
    'memory: a person’s is everybody’s',
    remember,
    'return user && { tenant, user: user.subject };',
    'return { tenant };',
  ),
  mutant(
    'memory: a tenant’s is every tenant’s',
    'shared/memory/memories.ts',
    'JSON.stringify([tenant, user ?? null])',
    'JSON.stringify([tenant && 0, user ?? null])',
  ),
  mutant('memory: a call that is over saves', remember, '  signal.throwIfAborted();\n', ''),
  // Who saves again finds it there, or saves it under the same id: either is enough alone, but for two at once.
  mutant(
    'memory: is saved again under another id',
    remember,
    'JSON.stringify([idempotencyKey, text])',
    'JSON.stringify([idempotencyKey, text, Math.random()])',
  ),
];
