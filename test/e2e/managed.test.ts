import { expect, inject, test } from 'vitest';
import type { InvocationEvent } from '../../local/stack/lambda/function.ts';
import { embedded } from '../support/embedded.ts';
import { messageStart, openBlock, text } from '../support/model-events.ts';
import { stall } from '../support/model-server.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';
import { isTerminal, watch } from '../support/watcher.ts';

/** The template with `compute: 'managed'`: sessions share one environment of each function that waits. */

const assembly = inject('assemblies').managed;

/** The environments of functions whose logical id has this prefix. */
const environmentsOf = (invocations: readonly InvocationEvent[], prefix: string) =>
  new Set(
    invocations.flatMap(({ functionId, environmentId }) =>
      functionId.startsWith(prefix) ? [environmentId] : [],
    ),
  );

test('sessions with tools, called directly and from the queue, run concurrently in one environment', async () => {
  const SESSIONS = 12;
  const together = Promise.withResolvers<void>();
  let held = 0;
  await using model = await ruleModel(({ turn, messages }) => {
    const asked = JSON.stringify(messages[0]);
    const name = /session \d+ of mine/.exec(asked)?.[0] ?? 'nobody';
    if (turn > 0) return sayText(`That was ${name}.`);
    return async (response, left) => {
      // All are asked before one is answered, which would not happen in an environment per session.
      if (++held === SESSIONS) together.resolve();
      await together.promise;
      await callTools(['look', { n: 1 }], ['haul', { n: 2 }])(response, left);
    };
  });
  const invocations: InvocationEvent[] = [];
  await using world = await embedded({
    model,
    assembly,
    onInvocation: (event) => invocations.push(event),
  });
  const ids = await Promise.all(
    Array.from({ length: SESSIONS }, (_, i) => world.start(`I am session ${i} of mine.`)),
  );
  for (const [i, id] of ids.entries()) {
    using watcher = watch(world, id);
    await watcher.seen(isTerminal);
    expect(await world.session(id)).toMatchObject({ state: 'completed', run: { steps: 2, toolCalls: 2 } });
    expect(watcher.texts('assistant')).toEqual(['On it. ', `That was session ${i} of mine.`]);
  }
  expect(world.toolStarts).toHaveLength(2 * SESSIONS);
  for (const prefix of ['AgentsStepsStep', 'AgentsToolsTool'])
    expect(environmentsOf(invocations, prefix).size, prefix).toBe(1);
});

test('a stop ends its own run, and no other in the same environment', async () => {
  await using model = await ruleModel(({ lastText }) =>
    lastText.includes('long')
      ? stall([messageStart(), ...openBlock(text('It begins'), 0)])
      : sayText('Short and good.'),
  );
  await using world = await embedded({ model, assembly });
  const long = await world.start('A long one.');
  using live = watch(world, long);
  await live.seen((event) => event.type === 'TEXT_MESSAGE_CONTENT');
  const other = await world.start('A long one, too.');
  using spared = watch(world, other);
  await spared.seen((event) => event.type === 'TEXT_MESSAGE_CONTENT');

  await world.api('POST', `/sessions/${long}/cancel`, {});
  expect(await world.atRest(long)).toMatchObject({ reason: 'cancelled' });
  expect(await world.session(other)).toMatchObject({ state: 'running' });
  expect(spared.events.some(isTerminal)).toBe(false);

  const short = await world.start('A small one.');
  expect(await world.atRest(short)).toMatchObject({ state: 'completed' });
  await world.api('POST', `/sessions/${other}/cancel`, {});
  expect(await world.atRest(other)).toMatchObject({ reason: 'cancelled' });
});

test('an environment that dies takes the steps of all its sessions along, and each session continues', async () => {
  const asked = new Map<string, number>();
  await using model = await ruleModel(({ lastText }) => {
    const times = (asked.get(lastText) ?? 0) + 1;
    asked.set(lastText, times);
    return times === 1
      ? stall([messageStart(), ...openBlock(text('Half of ', 'an ans'), 0)])
      : sayText(`An answer to ${lastText}`);
  });
  await using world = await embedded({ model, assembly, leaseSeconds: 3 });
  const questions = ['one', 'two', 'three', 'four'];
  const ids = await Promise.all(questions.map((question) => world.start(question)));
  const watchers = ids.map((id) => watch(world, id));
  for (const { seen } of watchers)
    await seen((event) => event.type === 'TEXT_MESSAGE_CONTENT' && event.delta.includes('Half'));
  expect(world.stack.kill('AgentsStepsStep')).toBe(1);

  for (const [i, id] of ids.entries()) {
    expect(await world.atRest(id, 90)).toMatchObject({ state: 'completed' });
    const watcher = watchers[i];
    await watcher?.seen(isTerminal);
    expect(watcher?.texts('assistant')).toEqual([`An answer to ${questions[i]}`]);
    watcher?.[Symbol.dispose]();
  }
  expect([...asked.values()]).toEqual([2, 2, 2, 2]);
});
