import { describe, expect, test } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { killBefore } from '../../../testing/faults.ts';
import { fails, type Scripted, says, stops, talksUntilStopped } from '../../../testing/scripted-model.ts';
import { foldingModel } from '../../support/folding-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { getting, small } from '../step/folds.fixture.ts';
import { ending, endings, textsOf } from '../step/reading.fixture.ts';

const summaries: readonly (readonly [string, Scripted])[] = [
  ['is overloaded', fails()],
  ['returns nothing', says('')],
  ['refuses', stops('refusal', '')],
  ['is cut', stops('max_tokens', 'Task: as')],
  ['is stopped by the deadline', talksUntilStopped('Task: as')],
];

async function folding(sumUp: Scripted = says('Task: as told.')) {
  const model = foldingModel({ sumUp }, ...getting(6), says('Six.'), says('Read.'), says('Read.'));
  const world = await sessionWorld(small(), model);
  await world.say('Count what there is.');
  return { model, world };
}

describe('stuck-after-fold', () => {
  test.each(summaries)(
    'stuck-after-fold: the run continues to its end when the summarizer %s',
    async (_, sumUp) => {
      const { model, world } = await folding(sumUp);
      await world.settle();
      expect(ending(await world.events())).toMatchObject({ state: 'completed' });
      expect(model.left()).toBe(2);
      expect(model.summaries.length).toBeGreaterThan(0);
    },
  );

  test('stuck-after-fold: a message that comes during the compaction is read', async () => {
    const { model, world } = await folding(async () => {
      await world.say('And the pears?');
      return says('Task: as told.');
    });
    await world.settle();
    expect(textsOf(model.requests.at(-1), 'user').join()).toContain('And the pears?');
    expect(world.queue.nextVisibleAt()).toBeUndefined();
  });

  test('stuck-after-fold: a cancel during the compaction ends the run, and the next message is answered', async () => {
    const { world } = await folding(async () => {
      await cancel(world.key, world);
      return says('Task: as told.');
    });
    await world.settle();
    await world.say('Go on.');
    await world.settle();
    expect(endings(await world.events()).length).toBe(2);
  });

  test('stuck-after-fold: a worker that dies between the slot of the fold and its commit changes nothing', async () => {
    const calm = await folding();
    await calm.world.settle();
    const commits = calm.world.faults.count('sessions.commit');
    for (let nth = 1; nth <= commits; nth++) {
      const { model, world } = await folding();
      world.faults.at('sessions.commit', killBefore, nth);
      await world.settle();
      expect([nth, model.left(), endings(await world.events()).length]).toEqual([nth, 2, 1]);
    }
  });
});
