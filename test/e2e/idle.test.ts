import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { ruleModel, sayText } from '../support/rule-model.ts';

/** What its page says that an idle deployment does (docs/cost.md): the sweeper is called each minute, and by hand here. */
test('without traffic no function runs and none calls a service, but the sweeper, which asks each partition of its index', async () => {
  const calls: string[] = [];
  const invoked: string[] = [];
  await using model = await ruleModel(() => sayText('Done.'));
  await using world = await embedded({
    model,
    wire: {
      before: ({ by, operation }) => void calls.push(`${by.replace(/.*Sweeper.*/, 'sweeper')} ${operation}`),
    },
    onInvocation: ({ kind, functionId }) => void (kind === 'start' && invoked.push(functionId)),
  });
  // A run has been, so that environments are warm and there is something to wake for nothing.
  const id = await world.start('Go.');
  await world.atRest(id);
  await pause(1_000);
  calls.length = 0;
  invoked.length = 0;
  await pause(5_000);
  const others = () => invoked.filter((name) => !name.includes('Sweeper'));
  expect(others()).toEqual([]);
  expect(calls.filter((call) => !call.startsWith('sweeper '))).toEqual([]);

  calls.length = 0;
  await world.stack.invoke('AgentsSweeper', {});
  expect([...new Set(calls)]).toEqual(['sweeper Query']);
  // Its own minute may come in this moment, too.
  expect(calls.length).toBeGreaterThanOrEqual(33);
  expect(calls.length).toBeLessThanOrEqual(66);
  expect(others()).toEqual([]);
});
