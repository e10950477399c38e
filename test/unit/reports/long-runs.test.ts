import { describe, expect, test } from 'vitest';
import { catchUp } from '../../../shared/agent/events/catch-up.ts';
import { calls, reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { answeringFolds } from '../../support/folding-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { long, small } from '../step/folds.fixture.ts';
import { ending, ofType, tool } from '../step/reading.fixture.ts';

const MOST_MESSAGE_BYTES = 1_048_576;

describe('structured-big-result-batches', () => {
  test('structured-big-result-batches: 25 results of 1 MB in one batch are cut to the limit, each wake fits a message, and the run completes', async () => {
    const wanted = Array.from({ length: 25 }, (_, n): [string, unknown] => ['read', { n }]);
    const model = scriptedModel(calls(...wanted), says('All read.'));
    const big = tool('read', ({ n }) => `${n} ${long(1_000_000)}`);
    const world = await sessionWorld({ tools: [big], limits: { maxToolOutputChars: 200_000 } }, model);
    const wakes: number[] = [];
    const { send } = world.queue;
    world.queue.send = (wake, ...more) => {
      wakes.push(Buffer.byteLength(JSON.stringify(wake)));
      return send(wake, ...more);
    };
    await world.say('Read all.');
    await world.settle();
    expect(ofType(await world.events(), 'RUN_FINISHED')).toHaveLength(1);
    expect(Math.max(0, ...wakes)).toBeLessThan(MOST_MESSAGE_BYTES);
    const results = model.requests[1]?.messages.at(-1)?.content ?? [];
    expect(results.filter(({ type }) => type === 'tool_result')).toHaveLength(25);
    // `test/contract/aws-items.test.ts` covers slots of any size in the table.
    for (const { content } of results) expect(String(content).length).toBeLessThan(201_000);
  });
});

describe('run-breaks-at-1000-events', () => {
  const STEPS = 150;

  /** A run of so many steps, whose context is folded on the way. */
  async function longRun() {
    const reads: number[] = [];
    let n = 0;
    const model = answeringFolds({}, () => {
      n += 1;
      const call = { id: `get-${n}`, name: 'get', input: { n } };
      return n <= STEPS
        ? reply({ stop: 'tool_use', content: [{ type: 'tool_use', ...call }], calls: [call] })
        : says('Done.');
    });
    const world = await sessionWorld(
      small(
        {},
        {
          tools: [tool('get', ({ n }) => `page ${n}: ${long(1_000)}`)],
          limits: { maxSteps: STEPS + 9, tokenBudget: 1e9 },
        },
      ),
      model,
    );
    await world.say('Look at all pages.');
    for (let before = 0; await world.step(); before = world.faults.total())
      reads.push(world.faults.total() - before);
    await world.settle();
    return { world, reads };
  }

  test('run-breaks-at-1000-events: a step uses the stores as much at the end as at the beginning, and a late viewer misses nothing', async () => {
    const { world, reads } = await longRun();
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: STEPS + 1 });
    const median = (of: readonly number[]) => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
    expect(reads.length).toBeGreaterThan(STEPS);
    expect(median(reads.slice(-50))).toBeLessThanOrEqual(median(reads.slice(10, 60)) + 2);
    const frames = (await catchUp(world.key, 0, 100_000, world)) ?? [];
    expect(frames.length).toBeGreaterThan(1_000);
    const { session } = await world.view();
    expect(frames.at(-1)?.seq).toBe(session.eventSeq);
    expect(frames.at(-1)?.event.type).toBe('RUN_FINISHED');
    const paged: number[] = [];
    for (let after = 0; ; after = paged.at(-1) ?? after) {
      const page = (await catchUp(world.key, after, 100, world)) ?? [];
      paged.push(...page.map(({ seq }) => seq));
      if (page.length < 100) break;
    }
    expect(paged).toEqual(frames.map(({ seq }) => seq));
  }, 120_000);
});
