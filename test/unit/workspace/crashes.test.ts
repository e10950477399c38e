import { describe, expect, test } from 'vitest';
import { type Fault, failAfter, failBefore, killAfter, killBefore } from '../../../testing/faults.ts';
import type { Scripted } from '../../../testing/scripted-model.ts';
import { says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { answersIn, endings, resultsOf } from '../step/reading.fixture.ts';
import { asksFor, filesOf, reads, removes, writes } from './files.fixture.ts';

/** Gives the same reply to the same history every time. */
const answers: Scripted = ({ request }) => {
  const seen = answersIn(request).length;
  if (seen === 0)
    return asksFor(['write', { path: 'a', content: 'one' }], ['write', { path: 'b', content: 'b' }]);
  if (seen === 2)
    return asksFor(
      ['write', { path: 'a', content: ' two', add: true }],
      ['stamp', { path: 'stamp', content: 'x', add: false }],
      ['write', { path: 'a', content: ' three', add: true }],
      ['remove', { path: 'b' }],
    );
  return seen === 6 ? asksFor(['read', { path: 'a' }], ['read', { path: 'b' }]) : says('Done.');
};

async function run(fault?: Fault, nth = 0) {
  const tools = [writes(), reads(), removes, writes('stamp', { effect: 'once' })];
  const model = scriptedModel(...Array.from({ length: 30 }, () => answers));
  const world = await sessionWorld({ tools }, model);
  await world.say('Go');
  const began = world.faults.total();
  if (fault) world.faults.atAny(fault, nth);
  await world.settle();
  const seen = resultsOf(await world.slots()).map(({ outcome, content }) => [outcome, content]);
  const [end] = endings(await world.events());
  return { world, seen, end: end?.state, calls: world.faults.total() - began };
}

/** The files that exist if each call has done what its result says: all of it, once, or nothing. */
function saidBy(seen: readonly (readonly string[])[]): Record<string, string> {
  const ok = (i: number) => seen[i]?.[0] === 'ok';
  const a = [ok(0) && 'one', ok(2) && ' two', ok(4) && ' three'].filter(Boolean).join('');
  return { ...(a && { a }), ...(ok(1) && !ok(5) && { b: 'b' }), ...(ok(3) && { stamp: 'x' }) };
}

const calmly = await run();

describe('a worker that edits files', () => {
  test('leaves them as they should be', async () => {
    expect(await filesOf(calmly.world)).toEqual({ a: 'one two three', stamp: 'x' });
    expect(calmly.seen.at(-2)).toEqual(['ok', 'one two three']);
    expect(calmly.seen.at(-1)).toEqual(['error', expect.stringContaining('no file b')]);
  });

  test.each<[string, Fault]>([
    ['dies before', killBefore],
    ['dies after', killAfter],
    ['cannot reach a service before', failBefore],
    ['gets no answer after', failAfter],
  ])(
    '%s any call of any service: each file is as it was or as it should be, and the retry saw the same as the first attempt',
    async (what, fault) => {
      for (let nth = 1; nth <= calmly.calls; nth += 1) {
        const { world, seen, end } = await run(fault, nth);
        expect([nth, end]).toEqual([nth, 'completed']);
        expect([nth, await filesOf(world)]).toEqual([nth, saidBy(seen)]);
        if (what.startsWith('dies')) expect([nth, saidBy(seen).a]).toEqual([nth, 'one two three']);
        if (seen.at(-2)?.[0] === 'ok') expect([nth, seen.at(-2)?.[1]]).toEqual([nth, saidBy(seen).a]);
        // Each slot's tree is complete: the content that it names exists.
        for (const slot of await world.slots())
          if (slot.workspace)
            expect([nth, Object.values(await filesOf(world, slot.workspace))]).toEqual([
              nth,
              expect.not.arrayContaining([undefined]),
            ]);
      }
    },
  );
});
