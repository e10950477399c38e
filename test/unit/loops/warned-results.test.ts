import { describe, expect, test } from 'vitest';
import { killBefore } from '../../../testing/faults.ts';
import { calls } from '../../../testing/scripted-model.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { tool } from '../step/reading.fixture.ts';
import { loop, looped, read, times } from './loops.fixture.ts';

const guardrails = 'praisonai' as const;
const at = (i: number) => ({ path: `f${i}` });

describe('L4: a warning is on the result, wherever the result comes from', () => {
  test('L4: of a call that the cache answers', async () => {
    const cached = tool('read_file', () => 'text', { cacheable: true });
    const { results, answers } = await looped(
      { tools: [cached], guardrails },
      ...times(7, 'read_file', at(1)),
    );
    expect(results.map(({ cached: from = false }) => from)).toEqual([false, ...Array(6).fill(true)]);
    expect(results.map(({ note }) => note?.message.match(/\d+ times/)?.[0])).toEqual([
      ...Array(3).fill(undefined),
      '4 times',
      '5 times',
      '6 times',
      '7 times',
    ]);
    expect(answers.at(-1)).toMatch(/^text\n\[loop-guard\] read_file was called 7 times/);
  });

  test.each(['read', 'once'] as const)('L4: of a call that ran from the tool queue (%s)', async (effect) => {
    const queued = tool('send', () => 'sent', { where: 'queue', effect });
    const from = effect === 'read' ? 5 : 3;
    const world = await loop({ tools: [queued], guardrails }, ...times(from, 'send', at));
    await settleWithCalls(world);
    const { results, answers } = await read(world);
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(from).fill('ok'));
    expect(answers.at(-1)).toMatch(new RegExp(`^sent\\n\\[loop-guard\\] send was called ${from} times`));
  });

  test('L4: of a call that waited for its neighbour in the queue, and of the neighbour', async () => {
    const queued = tool('send', () => 'sent', { where: 'queue', effect: 'once' });
    const look = tool('look', () => 'seen', { effect: 'once' });
    const world = await loop(
      { tools: [queued, look], guardrails },
      ...Array.from({ length: 3 }, (_, i) => calls(['look', at(i)], ['send', at(i)])),
    );
    await settleWithCalls(world);
    const { results } = await read(world);
    expect(results.slice(-2).map(({ note }) => note?.message.match(/\w+ was called \d/)?.[0])).toEqual([
      'look was called 3',
      'send was called 3',
    ]);
  });

  test('L4: of an unsafe call whose worker died after its result was kept', async () => {
    const ran: unknown[] = [];
    const pay = tool('pay', (input) => ran.push(input), { effect: 'once' });
    const world = await loop({ tools: [pay], guardrails, approvals: 'by_tool' }, ...times(3, 'pay', at));
    await world.step();
    await world.step();
    // Its second slot is the batch's.
    world.faults.at('sessions.putSlot', killBefore, 2);
    await world.settle();
    expect(ran).toHaveLength(3);
    const { results } = await read(world);
    expect(results.at(-1)).toMatchObject({ outcome: 'ok', note: { action: 'warn' } });
  });

  test('L4: a refused call has no warning next to its refusal', async () => {
    const one = tool('read_file', () => 'text');
    const { results } = await looped({ tools: [one], guardrails }, ...times(8, 'read_file', at(1)));
    expect(results.at(-1)).toMatchObject({ outcome: 'refused' });
    expect(results.at(-1)).not.toHaveProperty('note');
  });
});
