/** Runs that wait: for a person to approve or answer, and for calls that run from the tool queue. */

import { setTimeout as pause } from 'node:timers/promises';
import { HttpAgent } from '@ag-ui/client';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WaitInfo } from '../../shared/contract/http.ts';
import { refused } from '../support/ag-ui.ts';
import { type Embedded, embedded, type ToolStart } from '../support/embedded.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;
let sqs: SQSClient;
/** Called when the test's queued call has started. */
let onStart: (start: ToolStart) => unknown = () => undefined;

beforeAll(async () => {
  model = await ruleModel(({ turn, messages }) => {
    const said = String(messages[0]?.content[0]?.text ?? '');
    if (said === 'pay twice' && turn % 2 === 1) return callTools(['transfer', { n: 8 }]);
    if (turn > 0) return sayText(`After ${said}.`);
    if (said === 'ask') return callTools(['ask_user', { question: 'Which colour?' }]);
    if (said === 'fan') return callTools(['dig', { n: 1 }], ['dig', { n: 2 }], ['dig', { n: 3 }]);
    if (said === 'launch') return callTools(['dig', { n: 1 }], ['launch', { n: 2 }], ['dig', { n: 3 }]);
    return callTools(['transfer', { n: 7 }]);
  });
  world = await embedded({
    model,
    tools: async (start) => {
      await onStart(start);
      return { ok: true, n: start.input };
    },
  });
  sqs = new SQSClient({
    region: 'us-east-1',
    endpoint: world.stack.endpoints.sqs,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}, 120_000);
afterAll(async () => {
  sqs?.destroy();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

async function start(message: string, agent = 'worker'): Promise<string> {
  const { status, body } = await world.api('POST', '/sessions', { agent, message });
  expect(status).toBe(201);
  return body.sessionId;
}

const startsOf = (name: string, from: number) =>
  world.toolStarts.slice(from).filter((started) => started.name === name);
const resultsSeen = () => JSON.stringify(model.asked.at(-1)?.messages.at(-1)?.content);
const decide = (id: string, body: object) => world.api('POST', `/sessions/${id}/decisions`, body);

/** Waits until a person is asked. Returns the wait. */
async function asked(id: string): Promise<WaitInfo> {
  const session = await world.atRest(id);
  expect(session).toMatchObject({ state: 'waiting_for_input' });
  const [wait] = session.waits as WaitInfo[];
  if (!wait) throw new Error(`waits for nothing: ${JSON.stringify(session)}`);
  return wait;
}

const completed = (id: string) => world.becomes(id, 'completed');

/** The sweeper wakes a session whose wait has expired. It allows for a late wake. */
async function sweptUp(id: string): Promise<void> {
  for (const end = Date.now() + 90_000; Date.now() < end; await pause(500)) {
    await world.stack.invoke('AgentsSweeperSweep', {});
    if ((await world.session(id)).state === 'completed') return;
  }
  throw new Error(`not completed: ${JSON.stringify(await world.session(id))}`);
}

/** Messages of the step queue, including hidden or delayed ones. */
async function stepMessages(): Promise<number> {
  const QueueUrl = world.stack.outputs.StepQueueUrl;
  const names = [
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
    'ApproximateNumberOfMessagesDelayed',
  ] as const;
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}

const decidedOf = async (id: string) =>
  (await world.events(id)).flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.decided' ? [event.value] : [],
  );

describe('A18: an approval', () => {
  test('uses no compute while it waits, and counts once over HTTP', async () => {
    const from = world.toolStarts.length;
    const id = await start('pay');
    const wait = await asked(id);
    expect(wait).toMatchObject({ kind: 'approval', tool: 'transfer', message: 'transfer\nn: 7' });
    for (let n = 0; n < 50 && (await stepMessages()) > 0; n++) await pause(100);
    expect(await stepMessages()).toBe(0);
    expect(startsOf('transfer', from)).toEqual([]);
    const waiting = await world.events(id);
    expect(waiting.findLast(({ type }) => type === 'RUN_FINISHED')).toMatchObject({
      outcome: { type: 'interrupt', interrupts: [{ id: wait.id, reason: 'approval' }] },
    });

    const answers = await Promise.all([
      decide(id, { id: wait.id, approved: true }),
      decide(id, { id: wait.id, approved: true }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 202]);
    await completed(id);
    // The run has continued, and repeating the decision still has no effect.
    expect(await decide(id, { id: wait.id, approved: true })).toMatchObject({
      status: 200,
      body: { id: wait.id, result: 'already_decided' },
    });
    expect(startsOf('transfer', from)).toHaveLength(1);
    expect(await decidedOf(id)).toMatchObject([{ id: wait.id, outcome: 'approved', by: expect.any(String) }]);
    expect(await world.session(id)).toMatchObject({ waits: [] });
    expect(await refused(await world.events(id))).toBeUndefined();
  });

  test('can be denied over the WebSocket, with a note for the model', async () => {
    const from = world.toolStarts.length;
    const id = await start('pay');
    const wait = await asked(id);
    const { body } = await world.api('POST', '/tickets');
    const socket = new WebSocket(`${world.stack.outputs.SocketUrl}?ticket=${body.ticket}`);
    const heard = new Promise((resolve, reject) => {
      socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)));
      socket.onerror = reject;
    });
    socket.onopen = () =>
      socket.send(
        JSON.stringify({ action: 'decide', sessionId: id, id: wait.id, approved: false, note: 'Too much.' }),
      );
    expect(await heard).toEqual({ type: 'decided', sessionId: id, id: wait.id, result: 'decided' });
    socket.close();
    await completed(id);
    expect(startsOf('transfer', from)).toEqual([]);
    expect(resultsSeen()).toContain('Too much.');
    expect(await decidedOf(id)).toMatchObject([{ outcome: 'denied' }]);
  });

  test('is refused from a machine over every route, unless its key was minted for it', async () => {
    const from = world.toolStarts.length;
    const id = await start('pay');
    const wait = await asked(id);
    const mint = async (scopes?: string[]) =>
      (await world.api('POST', '/keys', { name: 'robot', ...(scopes && { scopes }) })).body.key as string;
    const robot = { authorization: `Bearer ${await mint()}` };
    const verdict = { id: wait.id, approved: true };
    const forbidden = {
      status: 403,
      title: 'You may not decide this',
      detail: expect.stringMatching(/"decide"/),
    };

    const overHttp = await world.api('POST', `/sessions/${id}/decisions`, verdict, robot);
    expect(overHttp).toMatchObject({ status: 403, body: forbidden });
    const resume = [{ interruptId: wait.id, status: 'resolved' }];
    const input = { threadId: id, runId: 'r1', messages: [], resume };
    expect(await world.api('POST', '/agui/worker', input, robot)).toMatchObject({
      status: 403,
      body: forbidden,
    });
    const { body } = await world.api('POST', '/tickets', undefined, robot);
    const socket = new WebSocket(`${world.stack.outputs.SocketUrl}?ticket=${body.ticket}`);
    const heard = new Promise((resolve, reject) => {
      socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)));
      socket.onerror = reject;
    });
    socket.onopen = () => socket.send(JSON.stringify({ action: 'decide', sessionId: id, ...verdict }));
    expect(await heard).toMatchObject({ type: 'error', problem: forbidden });
    socket.close();
    expect(await asked(id)).toMatchObject({ id: wait.id });

    const clerk = { authorization: `Bearer ${await mint(['decide'])}` };
    expect(await world.api('POST', `/sessions/${id}/decisions`, verdict, clerk)).toMatchObject({
      status: 202,
    });
    await completed(id);
    expect(startsOf('transfer', from)).toHaveLength(1);
    expect(await decidedOf(id)).toMatchObject([{ outcome: 'approved', by: expect.stringMatching(/^key:/) }]);
  });

  test('that is not given in time is a denial, and cannot be given afterwards', async () => {
    const from = world.toolStarts.length;
    const id = await start('pay', 'hasty');
    const wait = await asked(id);
    while (Date.parse(wait.expiresAt) > Date.now()) await pause(100);
    expect(await decide(id, { id: wait.id, approved: true })).toMatchObject({
      status: 404,
      body: { title: 'Nothing to decide' },
    });
    await sweptUp(id);
    expect(startsOf('transfer', from)).toEqual([]);
    expect(await decidedOf(id)).toMatchObject([{ outcome: 'expired' }]);
  });

  test('can be given by the stock AG-UI client', async () => {
    const from = world.toolStarts.length;
    const threadId = crypto.randomUUID();
    const url = `${world.stack.outputs.AguiUrl}/worker`;
    const agent = new HttpAgent({ url, threadId, headers: { authorization: `Bearer ${world.token}` } });
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'pay' });
    await agent.runAgent();
    const wait = await asked(threadId);
    await agent.runAgent({ resume: [{ interruptId: wait.id, status: 'resolved' }] });
    expect(startsOf('transfer', from)).toHaveLength(1);
    expect(agent.messages.at(-1)?.content).toBe('After pay.');
  });

  test('of something that does not wait is refused, and so is a malformed decision', async () => {
    const id = await start('pay');
    const { id: waitId } = await asked(id);
    expect(await decide(id, { id: 'made-up', approved: true })).toMatchObject({ status: 404 });
    expect(await decide('nothere', { id: waitId, approved: true })).toMatchObject({ status: 404 });
    expect(await decide(id, { id: waitId, approved: 'yes' })).toMatchObject({ status: 400 });
    const note = 'x'.repeat(2_001);
    expect(await decide(id, { id: waitId, approved: true, note })).toMatchObject({ status: 400 });
    expect(await asked(id)).toMatchObject({ id: waitId });
  });
});

describe('T22: a grant', () => {
  test('covers later calls, is listed while it holds, and can be revoked by the user who gave it', async () => {
    const from = world.toolStarts.length;
    const id = await start('pay twice');
    const wait = await asked(id);
    const grant = { scope: 'session', alike: 'tool', uses: 3 };
    expect((await decide(id, { id: wait.id, approved: true, grant })).status).toBe(202);
    await completed(id);
    expect(startsOf('transfer', from).map(({ input }) => input)).toEqual([{ n: 7 }, { n: 8 }]);

    const { grants } = await world.session(id);
    expect(grants).toMatchObject([{ tool: 'transfer', scope: 'session', alike: 'tool', usesLeft: 2 }]);
    const [{ id: grantId }] = grants as [{ id: string }];
    const revoke = () => world.api('DELETE', `/sessions/${id}/grants/${grantId}`);
    expect(await revoke()).toMatchObject({ status: 200, body: { id: grantId, revoked: true } });
    expect((await world.session(id)).grants).toEqual([]);
    expect(await revoke()).toMatchObject({ status: 404, body: { title: 'No such grant' } });

    await world.api('POST', `/sessions/${id}/messages`, { message: 'Once more' });
    expect(await asked(id)).toMatchObject({ kind: 'approval', tool: 'transfer' });
    expect(startsOf('transfer', from)).toHaveLength(2);
  });
});

describe('A19: a question', () => {
  test('is answered by a decision, or by the next message', async () => {
    const first = await start('ask');
    const { id, kind, message } = await asked(first);
    expect([kind, message]).toEqual(['question', expect.stringContaining('Which colour?')]);
    expect(await decide(first, { id, approved: true, note: 'blue' })).toMatchObject({ status: 202 });
    await completed(first);
    expect(resultsSeen()).toContain('blue');

    const second = await start('ask');
    await asked(second);
    expect(await world.api('POST', `/sessions/${second}/messages`, { message: 'green' })).toMatchObject({
      status: 202,
    });
    await completed(second);
    expect(resultsSeen()).toContain('green');
    expect(await decidedOf(second)).toMatchObject([{ outcome: 'answered' }]);
  });
});

describe('a queued call', () => {
  test('three of a batch run in parallel, and the last one wakes the session once', async () => {
    const from = world.toolStarts.length;
    const asks = model.asked.length;
    const all = Promise.withResolvers<void>();
    onStart = async () => {
      if (startsOf('dig', from).length === 3) all.resolve();
      await all.promise;
    };
    const id = await start('fan');
    await completed(id);
    onStart = () => undefined;
    expect(startsOf('dig', from)).toHaveLength(3);
    expect(model.asked.length - asks).toBe(2);
    const events = await world.events(id);
    expect(events.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toHaveLength(3);
    expect(await refused(events)).toBeUndefined();
  });

  test('whose worker is killed: a once tool does not start again, and the others count', async () => {
    const from = world.toolStarts.length;
    let killed = 0;
    const others = Promise.withResolvers<void>();
    let done = 0;
    onStart = async ({ name }) => {
      if (name === 'dig' && ++done === 2) others.resolve();
      if (name !== 'launch') return;
      // Only after the others have finished, since every worker of the function is killed.
      await others.promise;
      await pause(3_000);
      killed = world.stack.kill('AgentsToolsTool');
    };
    const id = await start('launch', 'hasty');
    await sweptUp(id);
    onStart = () => undefined;
    expect(killed).toBe(1);
    expect(startsOf('launch', from)).toHaveLength(1);
    expect(startsOf('dig', from)).toHaveLength(2);
    expect(resultsSeen()).toContain('unknown_outcome');
    expect(resultsSeen().match(/"tool_use_id"/g)).toHaveLength(3);
  });
});
