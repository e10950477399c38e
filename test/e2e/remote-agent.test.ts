import { TaskState } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { textPart } from '../support/a2a/agent.ts';
import { remoteServer } from '../support/a2a/server.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

const works = { state: TaskState.TASK_STATE_WORKING };
const booked = (text: string) => ({
  state: TaskState.TASK_STATE_COMPLETED,
  artifacts: [[textPart(text)]],
});

const traveling = () =>
  ruleModel(({ turn, lastText }) =>
    turn === 0
      ? callTools(['travel', { message: lastText.includes('ask') ? 'ask' : 'Rome.' }])
      : sayText('Done.'),
  );
const resultsIn = async (world: Embedded, id: string) =>
  (await world.messages(id)).flatMap((message) => (message.role === 'tool' ? [message.content] : []));
const begin = async (world: Embedded, message: string): Promise<string> =>
  (await world.api('POST', '/sessions', { agent: 'traveler', message })).body.sessionId;

test('an agent of another system does a task: it is begun once, though the worker that waits for it is killed; it asks a person; and a stop cancels it', async () => {
  await using agent = await remoteServer((text, { isNew }) =>
    isNew && text === 'ask'
      ? { state: TaskState.TASK_STATE_INPUT_REQUIRED, says: 'Which day?' }
      : isNew
        ? works
        : booked(`Booked for ${text}.`),
  );
  await using model = await traveling();
  await using world = await embedded({
    model,
    variables: { [env.SETTINGS]: JSON.stringify({ A2A_URL: agent.url }) },
  });
  const looks = () => agent.methods().filter((method) => method === 'GetTask').length;
  const sent = () => agent.methods().filter((method) => method === 'SendMessage').length;

  const asking = await begin(world, 'Please ask.');
  await expect
    .poll(async () => (await world.session(asking)).state, { timeout: 60_000 })
    .toBe('waiting_for_input');
  const { waits } = (await world.session(asking)) as unknown as { waits: { id: string; message: string }[] };
  expect(waits[0]?.message).toBe('The agent travel asks: Which day?');
  await world.api('POST', `/sessions/${asking}/decisions`, {
    id: waits[0]?.id,
    approved: true,
    note: 'Friday',
  });
  await world.becomes(asking, 'completed', 60);
  expect(await resultsIn(world, asking)).toEqual([expect.stringContaining('Booked for Friday.')]);

  const stopped = await begin(world, 'Go.');
  await expect.poll(looks, { timeout: 60_000 }).toBeGreaterThan(0);
  await world.api('POST', `/sessions/${stopped}/cancel`);
  await world.becomes(stopped, 'cancelled', 60);
  expect((await agent.states()).at(-1)).toBe(TaskState.TASK_STATE_CANCELED);

  const [before, looked] = [sent(), looks()];
  const id = await begin(world, 'Go.');
  await expect.poll(looks, { timeout: 60_000 }).toBeGreaterThan(looked);
  expect(world.stack.kill('AgentsToolsTool')).toBe(1);
  await agent.end([...agent.tasks.keys()].at(-1) ?? '', booked('By train.'));
  await world.becomes(id, 'completed', 200);
  expect(await resultsIn(world, id)).toEqual([expect.stringContaining('By train.')]);
  expect(sent()).toBe(before + 1);
}, 360_000);
