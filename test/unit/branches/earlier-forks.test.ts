import { beforeEach, expect, test } from 'vitest';
import { makeFork } from '../../../shared/agent/entrypoints/fork.ts';
import { newSession, type Session } from '../../../shared/agent/session/session.ts';
import type { Slot } from '../../../shared/agent/session/slots.ts';
import { TASKS } from '../../../shared/agent/session/tasks.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';

const key = { tenant: 'acme', sessionId: 's1' };
const tasks = { tasks: [{ id: 't1', text: 'now', status: 'pending' }] };

const said = (n: number): Slot => ({
  ...{ kind: 'model', n, runId: 'r', step: n, input: [{ text: `slot ${n}` }], verdicts: [] },
});
const folded = (n: number, start: number): Slot => ({
  ...(said(n) as Extract<Slot, { kind: 'model' }>),
  fold: { why: 'size', start, tokens: { before: 2, after: 1 }, left: { messages: 1, tokens: 1 } } as never,
});

let world: MemoryWorld;
beforeEach(() => {
  world = memoryWorld();
});

/** A session with these slots in place of plain ones. */
async function begin(count: number, other: Readonly<Record<number, Slot>>, more: Partial<Session> = {}) {
  const session: Session = { ...newSession(key, 'test', 'd'), ...more, version: count };
  await world.sessions.create(session);
  for (let n = 0; n < count; n++) await world.sessions.putSlot(key, 1, other[n] ?? said(n));
  return session;
}

const forkAt = async (session: Session, below: number) => {
  const made = await makeFork(
    session,
    below,
    { forkId: 'f1', asked: '', user: undefined, title: 'f', by: 'ada' },
    world,
  );
  if (typeof made === 'string') throw new Error(made);
  return made;
};

const ofNow: Partial<Session> = {
  nudges: [{ text: 'told now' }],
  mustFold: { why: 'refused', refusals: 1 },
  metadata: { guardrails: { [TASKS]: tasks, other: { n: 1 } } } as never,
};

test('a fork of everything has the tasks, the nudges and the fold that are due now, and no other state of guards', async () => {
  const fork = await forkAt(await begin(3, {}, ofNow), 3);
  expect(fork.nudges).toEqual([{ text: 'told now' }]);
  expect(fork.mustFold).toEqual({ why: 'refused', refusals: 1 });
  expect(fork.metadata.guardrails).toEqual({ [TASKS]: tasks });
});

test('a fork of an earlier step has none of them: they came after it', async () => {
  const fork = await forkAt(await begin(3, {}, ofNow), 2);
  expect(fork.nudges).toEqual([]);
  expect(fork.mustFold).toBeUndefined();
  expect(fork.metadata.guardrails).toEqual({});
});

test.each([
  ['in the last slots', 390],
  ['a hundred slots back', 300],
  ['at the very beginning', 1],
])('an earlier fork begins in the context of its last fold, also if that is %s', async (_where, n) => {
  const slots = { [n]: folded(n, Math.max(0, n - 1)), 450: folded(450, 440) };
  const session = await begin(460, slots, { fold: { slot: 450, at: 7 }, contextStart: 440 });
  const fork = await forkAt(session, 400);
  expect([fork.fold, fork.contextStart]).toEqual([{ slot: n, at: 0 }, Math.max(0, n - 1)]);
});

test('of several folds the last one before the fork counts', async () => {
  const slots = { 10: folded(10, 5), 120: folded(120, 110), 150: folded(150, 130), 450: folded(450, 440) };
  const session = await begin(460, slots, { fold: { slot: 450, at: 7 }, contextStart: 440 });
  expect((await forkAt(session, 400)).contextStart).toBe(130);
});

test('a fork from before the first fold has the whole context', async () => {
  const session = await begin(
    460,
    { 450: folded(450, 440) },
    { fold: { slot: 450, at: 7 }, contextStart: 440 },
  );
  const fork = await forkAt(session, 400);
  expect([fork.fold, fork.contextStart]).toEqual([undefined, 0]);
});
