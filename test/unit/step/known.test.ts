import { expect, test } from 'vitest';
import { knownAfter, LATE_MS } from '../../../shared/agent/session/known.ts';

const now = 1_000_000;
const fence = (consumed: string[], known?: { ids: string[]; at: number }) => ({
  consumed,
  ...(known && { known }),
});

test.each([
  ['nothing is known without events', fence([]), [], undefined],
  ['an event is known from the moment it is marked', fence(['e1']), [], { ids: ['e1'], at: now }],
  ['an event that is not marked is not known yet: it is still consumed', fence(['e1']), ['e1'], undefined],
  ['of several events, the marked ones are', fence(['e1', 'e2']), ['e1'], { ids: ['e2'], at: now }],
  [
    'an event stays known for a minute',
    fence([], { ids: ['e1'], at: now - LATE_MS + 1 }),
    [],
    { ids: ['e1'], at: now - LATE_MS + 1 },
  ],
  ['and no longer', fence([], { ids: ['e1'], at: now - LATE_MS }), [], undefined],
  [
    'a newer one keeps it known',
    fence(['e2'], { ids: ['e1'], at: now - 5_000 }),
    [],
    { ids: ['e1', 'e2'], at: now },
  ],
  [
    'but not if its time was over',
    fence(['e2'], { ids: ['e1'], at: now - LATE_MS }),
    [],
    { ids: ['e2'], at: now },
  ],
  [
    'an event that came back is known once, and as the newest',
    fence(['e1'], { ids: ['e1', 'e2'], at: now - 5_000 }),
    [],
    { ids: ['e2', 'e1'], at: now },
  ],
])('%s', (_what, seen, unmarked, known) => {
  expect(knownAfter(seen, unmarked, now)).toEqual(known);
});

test('HEAD, which is written twice a step, knows no more than the last twenty', () => {
  const ids = Array.from({ length: 20 }, (_, n) => `old${n}`);
  expect(knownAfter(fence(['new'], { ids, at: now }), [], now)?.ids).toEqual([...ids.slice(1), 'new']);
});
