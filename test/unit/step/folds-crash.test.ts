import { describe, expect, test } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { type Fault, killAfter, killBefore, type Operation } from '../../../testing/faults.ts';
import { says, talksUntilStopped } from '../../../testing/scripted-model.ts';
import { foldingModel } from '../../support/folding-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { foldsOf, getting, run, small } from './folds.fixture.ts';
import { custom, endings } from './reading.fixture.ts';
import { read } from './rows.fixture.ts';

const script = () => [...getting(6), says('Six.')];

/** A run in which an invocation dies at one place. */
async function dying(at: Operation, fault: Fault, nth: number) {
  const model = foldingModel({}, ...script());
  const world = await sessionWorld(small(), model);
  await world.say('Count what there is.');
  world.faults.at(at, fault, nth);
  await world.settle();
  return { ...(await read(world)), model, folds: foldsOf(await world.slots()) };
}

describe('a worker dies during a compaction', () => {
  const places = [
    { at: 'sessions.putSlot', fault: killAfter },
    { at: 'sessions.commit', fault: killBefore },
    { at: 'sessions.commit', fault: killAfter },
    { at: 'sessions.claim', fault: killAfter },
  ] as const;

  test.each(places)(
    'the context is the same as usual, wherever it dies: $at $fault.name',
    async ({ at, fault }) => {
      const calm = await run(small(), {}, ...script());
      const times = calm.world.faults.count(at);
      let adopted = 0;
      for (let nth = 1; nth <= times; nth += 1) {
        const again = await dying(at, fault, nth);
        const where = `${at} ${fault.name} ${nth}`;
        expect([where, again.end, again.model.left()]).toEqual([where, calm.end, 0]);
        expect([
          where,
          again.folds.map(({ why, start, clearedBelow, left }) => ({ why, start, clearedBelow, left })),
        ]).toEqual([
          where,
          calm.folds.map(({ why, start, clearedBelow, left }) => ({ why, start, clearedBelow, left })),
        ]);
        expect([where, again.model.requests.at(-1)?.messages]).toEqual([
          where,
          calm.model.requests.at(-1)?.messages,
        ]);
        adopted += custom(again.events, 'steploop.recovered').filter((told) => told.adopted).length;
        // A kept summary is never bought again, and each purchase is paid once.
        if (at === 'sessions.claim') continue;
        expect([where, again.model.summaries.length]).toEqual([where, 1]);
        const [totals, as] = [again, calm].map(async ({ world }) => (await world.view()).session.totals);
        expect([where, await totals]).toEqual([where, await as]);
      }
      if (at === 'sessions.commit' && fault === killBefore) expect(adopted).toBe(times);
    },
  );

  test('a summary that was lost before it was kept is bought again, and the dead attempt is charged', async () => {
    const calm = await run(small(), {}, ...script());
    const nth =
      (await calm.world.slots()).findIndex((slot) => slot.kind === 'model' && slot.fold?.summary) + 1;
    const again = await dying('sessions.putSlot', killBefore, nth);
    expect(again.model.summaries).toHaveLength(2);
    const [before, after] = [calm, again].map(async ({ world }) => (await world.view()).session.totals);
    const [asked] = calm.folds.flatMap(({ summary }) => summary ?? []);
    expect((await after)?.input).toBe(((await before)?.input ?? 0) + (asked?.usage.input ?? 0));
  });
});

describe('a run is stopped during a compaction', () => {
  test('a cancel ends the run; nothing is folded, and the bought part of the summary is charged', async () => {
    const model = foldingModel(
      {
        sumUp: async (asked) => {
          await cancel(world.key, world);
          const stopped = talksUntilStopped('Task: cou');
          return typeof stopped === 'function' ? stopped(asked) : stopped;
        },
      },
      ...script(),
    );
    const world = await sessionWorld(small(), model);
    await world.say('Count what there is.');
    await world.settle();
    const { events, slots } = await read(world);
    expect(endings(events)).toMatchObject([{ state: 'cancelled' }]);
    expect(foldsOf(slots).filter(({ summary }) => summary)).toEqual([]);
    const { totals, run: last } = (await world.view()).session;
    const usages = custom(events, 'steploop.usage');
    expect(totals.input).toBe(usages.reduce((sum, { usage }) => sum + usage.input, 0));
    expect(usages).toHaveLength(model.requests.length + model.summaries.length);
    expect(last?.ended).toBe(true);
  });
});
