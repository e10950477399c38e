import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { ruleModel, sayText } from '../support/rule-model.ts';

/** The claims about an idle deployment in docs/cost.md. The sweeper is called each minute, and by hand here. */
test('without traffic only the sweeper runs and calls a service: it asks each partition of its index', async () => {
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
  // A run came before, so environments are warm and could be woken for nothing.
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
  // The item tells which schedules of the definition are stored.
  expect([...new Set(calls)].sort()).toEqual(['sweeper GetItem', 'sweeper Query']);
  const queries = calls.filter((call) => call === 'sweeper Query').length;
  // The schedule may fire at the same moment.
  expect(queries).toBeGreaterThanOrEqual(33);
  expect(queries).toBeLessThanOrEqual(66);
  expect(calls.length - queries).toBeLessThanOrEqual(2);
  expect(others()).toEqual([]);
});
