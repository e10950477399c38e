import { expect, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

/** Time in ms from one step's start to the next one's, by the model's requests. */
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

test('S-4: a run of 60 steps completes, and its steps take as long at the end as at the beginning', async () => {
  const askedAt: number[] = [];
  await using model = await ruleModel(({ turn }) => {
    askedAt.push(performance.now());
    return turn < 59 ? callTools(['look', { n: turn }]) : sayText('Sixty.');
  });
  await using world = await embedded({ model });
  const id = await world.start('Count.');
  const session = await world.atRest(id, 100);

  expect(session).toMatchObject({ state: 'completed', run: { steps: 60, toolCalls: 59 } });
  expect(model.asked).toHaveLength(60);
  const took = askedAt.slice(1).map((at, i) => at - (askedAt[i] ?? at));
  const early = median(took.slice(3, 8));
  const late = median(took.slice(52, 57));
  console.log(`time of a step, median of 5: step 5 ${early.toFixed(0)} ms, step 55 ${late.toFixed(0)} ms`);
});
