import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Embedded, embedded } from '../support/embedded.ts';
import { here } from '../support/real/here.ts';
import { type ColdStart, inRealRuntime } from '../support/real/function.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

/** The functions' bundles in AWS's own runtime, behind the gateways and queues of the embedded stack. */

const [emulator, client] = [here('emulator'), here('client')];

describe.skipIf(!emulator || !client)('AWS’s runtime', () => {
  let model: RuleModel;
  let world: Embedded;
  const cold: ColdStart[] = [];
  beforeAll(async () => {
    if (!emulator || !client) return;
    model = await ruleModel(({ turn, lastText }) =>
      turn === 0 ? callTools(['look', { n: 1 }]) : sayText('You said: ', lastText, '.'),
    );
    world = await embedded({ model, runtime: inRealRuntime({ emulator, client }, (one) => cold.push(one)) });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
  });

  test('runs a session from its request to its end, with a tool', async () => {
    const id = await world.start('hello');
    expect(await world.atRest(id)).toMatchObject({ state: 'completed' });
    expect(world.toolStarts).toHaveLength(1);
  });
});
