import { expect, test } from 'vitest';
import type { AgUiEvent } from '../../shared/contract/events.ts';
import { embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';
import { watch } from '../support/watcher.ts';

/** The infrastructure costs that steps reported, in order. */
const infraOf = (events: readonly AgUiEvent[]): number[] =>
  events.flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.usage' ? [event.value.infraUsd ?? Number.NaN] : [],
  );

test('each step reports its infrastructure cost, and the session has their sum; listeners cost their pushes', async () => {
  await using model = await ruleModel(({ turn }) =>
    turn % 3 < 2 ? callTools(['look', { n: turn }]) : sayText('Done.'),
  );
  await using world = await embedded({ model });
  const id = await world.start('Go.');
  await world.atRest(id);
  const alone = infraOf(await world.events(id));
  expect(alone).toHaveLength(3);
  // A message received, deleted and sent, the invocation, and about ten write units: a hundred-thousandth of a dollar.
  for (const usd of alone) {
    expect(usd).toBeGreaterThan(0.000_004);
    expect(usd).toBeLessThan(0.000_1);
  }
  const sum = (figures: readonly number[]) => figures.reduce((all, usd) => all + usd, 0);
  const { totals } = (await world.session(id)) as never as { totals: { infraUsd: number } };
  expect(totals.infraUsd).toBeCloseTo(sum(alone), 9);

  using watcher = watch(world, id);
  await watcher.seen(({ type }) => type === 'RUN_FINISHED');
  await world.api('POST', `/sessions/${id}/messages`, { message: 'Again.' });
  await expect.poll(() => infraOf(watcher.events).length, { timeout: 30_000 }).toBe(6);
  const { infraUsd } = ((await world.session(id)) as never as { totals: { infraUsd: number } }).totals;
  expect(infraUsd).toBeCloseTo(sum(infraOf(await world.events(id))), 9);
});
