/** T21: plan mode on the embedded stack. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WaitInfo } from '../../shared/contract/http.ts';
import { refused } from '../support/ag-ui.ts';
import { type Embedded, embedded, type ToolStart } from '../support/embedded.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;
let onStart: (start: ToolStart) => unknown = () => undefined;

beforeAll(async () => {
  model = await ruleModel(({ messages, body }) => {
    const all = JSON.stringify(messages);
    if (!JSON.stringify(body.tools).includes('"pay"')) throw new Error('another agent');
    if (!all.includes('toolu_'))
      return callTools(['pay', { n: 1 }], ['save', { n: 2 }], ['draft', { path: 'a.md', text: 'one' }]);
    return sayText(all.includes('pay done') || all.includes('Not on a Friday') ? 'It is done.' : 'My plan.');
  });
  world = await embedded({
    model,
    leaseSeconds: 3,
    tools: async (start) => {
      await onStart(start);
      return `${start.name} done`;
    },
  });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

/** Begins a session, and waits until its plan is shown. */
async function planned(): Promise<{ id: string; wait: WaitInfo }> {
  const { status, body } = await world.api('POST', '/sessions', { agent: 'planner', message: 'Go' });
  expect(status).toBe(201);
  const session = await world.atRest(body.sessionId);
  expect(session).toMatchObject({ state: 'waiting_for_input', reason: 'awaiting_approval' });
  const [wait] = session.waits as WaitInfo[];
  if (!wait) throw new Error('it waits for nothing');
  return { id: body.sessionId, wait };
}

const ended = (id: string) => world.becomes(id, 'completed');

test('two of three changes are approved, a worker is killed between them, and the third is not made', async () => {
  const { id, wait } = await planned();
  expect(world.toolStarts).toEqual([]);
  expect(wait).toMatchObject({ kind: 'plan', changes: ['pay', 'save', 'draft'] });
  expect(wait.message).toContain('+one');
  const { body: whole } = await world.api('GET', `/sessions/${id}/waits/${wait.id}`);
  expect(whole).toMatchObject({ whole: wait.message, isWhole: true, isAsAsked: true });

  let killed = 0;
  onStart = ({ name }) => {
    if (name === 'save' && killed === 0) killed = world.stack.kill('AgentsStepsStep');
  };
  const decide = (approved: unknown) =>
    world.api('POST', `/sessions/${id}/decisions`, { id: wait.id, approved, note: 'Not on a Friday.' });
  expect(await decide([4])).toMatchObject({ status: 400, body: { title: 'No such change' } });
  expect(await decide([2, 1])).toMatchObject({ status: 202 });
  expect((await decide([1, 2])).status).toBe(200);
  expect(await decide([1])).toMatchObject({ status: 409 });
  await ended(id);

  expect(killed).toBeGreaterThan(0);
  const starts = world.toolStarts.map(({ name }) => name);
  expect(starts.filter((name) => name === 'pay')).toHaveLength(1);
  expect(starts.filter((name) => name === 'save')).toHaveLength(2);
  expect(new Set(world.toolStarts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  expect((await world.api('GET', `/sessions/${id}/files`)).body.files).toEqual([]);
  const events = await world.events(id);
  expect(await refused(events)).toBeUndefined();
  expect(
    events.flatMap((event) =>
      event.type === 'CUSTOM' && event.name === 'steploop.decided' ? [event.value] : [],
    ),
  ).toMatchObject([{ outcome: 'approved', changes: [1, 2] }]);
});

test('over AG-UI the payload of the resolved interrupt lists the changes to make', async () => {
  onStart = () => undefined;
  const from = world.toolStarts.length;
  const { id, wait } = await planned();
  const resume = [{ interruptId: wait.id, status: 'resolved', payload: { approved: [3] } }];
  const { status } = await world.api('POST', '/agui/planner', {
    threadId: id,
    runId: 'r1',
    messages: [],
    resume,
  });
  expect(status).toBe(200);
  await ended(id);
  expect(world.toolStarts.slice(from)).toEqual([]);
  expect((await world.api('GET', `/sessions/${id}/files`)).body.files).toMatchObject([{ path: 'a.md' }]);
});
