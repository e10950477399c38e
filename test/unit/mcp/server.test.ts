import { Client, type ElicitResult, InMemoryTransport } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../../cli/mcp/api.ts';
import type { Frame } from '../../../shared/contract/events.ts';
import type { WaitDetails } from '../../../shared/contract/http.ts';
import type { State } from '../../../shared/contract/session.ts';
import type { Served } from '../../../shared/doors/mcp/served.ts';
import { serverOf } from '../../../shared/doors/mcp/server.ts';
import { type Decision, ProblemError, type SessionInfo } from '../../../web/client/index.ts';

const approval: WaitDetails = {
  ...{ id: 'w1', kind: 'approval', tool: 'transfer', toolCallId: 'c1', message: 'transfer\nn: 7' },
  ...{ expiresAt: '2026-11-24T00:00:00.000Z', whole: 'transfer\nn: 7\nto: \u001b[2Jacme' },
  ...{ isWhole: true, isAsAsked: true },
};
const frames = (...events: Frame['event'][]): Frame[] =>
  events.map((event, i) => ({ seq: i + 1, prev: i, event }));
const calling: Frame[] = frames(
  { type: 'STEP_STARTED', stepName: 'step 1' },
  { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'transfer' },
  {
    type: 'CUSTOM',
    name: 'steploop.progress',
    value: { toolCallId: 'c1', message: 'half of it', share: 0.5 },
  },
);

/** A deployment of one session. */
function deployment(now: { state: State; waits?: WaitDetails[]; object?: unknown }) {
  const did: unknown[] = [];
  const session = (): SessionInfo => ({
    ...{ sessionId: 's1', agent: 'worker', state: now.state, grants: [], waits: now.waits ?? [], cursor: 3 },
    totals: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0 },
    ...(now.object !== undefined && {
      lastEnding: {
        ...{ state: now.state, reason: 'completed', code: 'completed', message: '' },
        ...{ at: '2026-11-24T00:00:00.000Z', object: now.object },
      },
    }),
  });
  const none = () => new ProblemError({ type: 'about:blank', title: 'No such session', status: 404 });
  const client: Served['client'] = {
    refusalOf,
    createSession: async (asked) => {
      did.push(asked);
      return { sessionId: 's1', eventId: 'e1', duplicate: false };
    },
    addMessage: async (id, message) => {
      did.push([id, message]);
      return { sessionId: id, eventId: 'e2', duplicate: false };
    },
    session: async (id) => {
      if (id !== 's1') throw none();
      return session();
    },
    messages: async () => [
      { id: 'm0', role: 'assistant', content: 'From an earlier run.' },
      { id: 'm1', role: 'user', content: 'Go.' },
      { id: 'm2', role: 'assistant', content: 'It is done.' },
    ],
    events: async (_, after) => ({ frames: calling.filter(({ seq }) => seq > after), next: 3 }),
    cancel: async (id) => void did.push(`cancel ${id}`),
    wait: async (_, id) => (now.waits ?? []).find((wait) => wait.id === id) ?? Promise.reject(none()),
    decide: async (_, decision: Decision) => {
      did.push(decision);
      now.waits = [];
      now.state = 'completed';
    },
  };
  return { client, did };
}

const eras = [['legacy'], ['auto']] as const;

async function connected(
  client: Served['client'],
  said?: ElicitResult,
  mode: 'legacy' | 'auto' = 'legacy',
  waitMs = 5_000,
) {
  const shown: string[] = [];
  const mcp = new Client(
    { name: 'test', version: '0' },
    { versionNegotiation: { mode }, ...(said && { capabilities: { elicitation: { form: {} } } }) },
  );
  if (said)
    mcp.setRequestHandler('elicitation/create', async ({ params }) => {
      shown.push(params.message);
      return said;
    });
  const [near, far] = InMemoryTransport.createLinkedPair();
  serveStdio(() => serverOf({ client, agents: ['worker', 'writer'], version: '0', waitMs }), {
    transport: far,
  });
  await mcp.connect(near);
  expect(mcp.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
  return { mcp, shown };
}

describe('agents as tools of an MCP server', () => {
  test('are listed, one each', async () => {
    const { mcp } = await connected(deployment({ state: 'completed' }).client);
    const { tools } = await mcp.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['ask_worker', 'ask_writer']);
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { message: {}, session: {} } });
  });

  test('start a session, stream its progress, and return its answer, its object and its id', async () => {
    const { client, did } = deployment({ state: 'completed', object: { total: 7 } });
    const { mcp } = await connected(client);
    const told: unknown[] = [];
    const result = await mcp.callTool(
      { name: 'ask_worker', arguments: { message: 'Go.' } },
      { onprogress: (progress) => void told.push(progress) },
    );
    expect(did).toEqual([{ agent: 'worker', message: 'Go.' }]);
    expect(told).toEqual([
      { progress: 1, message: 'step 1' },
      { progress: 2, message: 'calls transfer' },
      { progress: 3, message: 'half of it' },
    ]);
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toEqual({
      ...{ session: 's1', state: 'completed', answer: 'It is done.', object: { total: 7 } },
    });
  });

  test('continue a session, or only wait for one', async () => {
    const { client, did } = deployment({ state: 'completed' });
    const { mcp } = await connected(client);
    await mcp.callTool({ name: 'ask_worker', arguments: { session: 's1' } });
    expect(did).toEqual([]);
    await mcp.callTool({ name: 'ask_worker', arguments: { session: 's1', message: 'And now?' } });
    expect(did).toEqual([['s1', 'And now?']]);
  });

  test.each([
    ['an unknown session', 'ask_worker', { session: 'nobody', message: 'Hi.' }, 'No such session'],
    ['a session of another agent', 'ask_writer', { session: 's1', message: 'Hi.' }, 'go on with ask_worker'],
    ['an empty call', 'ask_worker', {}, 'give a message'],
    ['an unknown key', 'ask_worker', { message: 'Hi.', tenant: 'globex' }, 'tenant'],
  ])('refuse %s with a sentence, and do nothing', async (_, name, args, sentence) => {
    const { client, did } = deployment({ state: 'completed' });
    const { mcp } = await connected(client);
    const result = await mcp.callTool({ name, arguments: args });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain(sentence);
    expect(did).toEqual([]);
  });

  test('report that a long run is still going, and stop nothing', async () => {
    const { client, did } = deployment({ state: 'running' });
    const { mcp } = await connected(client, undefined, 'legacy', 1);
    const result = await mcp.callTool({ name: 'ask_worker', arguments: { message: 'Go.' } });
    expect(result).toMatchObject({ structuredContent: { session: 's1', state: 'running' } });
    expect(JSON.stringify(result.content)).toContain('still at work');
    expect(did).toHaveLength(1);
  });

  test('stop the run of a cancelled call, and not that of a disconnected client', async () => {
    const cancelled = deployment({ state: 'running' });
    const { mcp } = await connected(cancelled.client);
    const stop = new AbortController();
    const call = mcp.callTool(
      { name: 'ask_worker', arguments: { message: 'Go.' } },
      { signal: stop.signal, onprogress: () => stop.abort('no more') },
    );
    await expect(call).rejects.toThrow();
    await expect.poll(() => cancelled.did).toContain('cancel s1');

    const left = deployment({ state: 'running' });
    const { mcp: other } = await connected(left.client);
    const going = other.callTool(
      { name: 'ask_worker', arguments: { message: 'Go.' } },
      { onprogress: () => void other.close() },
    );
    await expect(going).rejects.toThrow();
    expect(left.did).not.toContain('cancel s1');
  });

  test('fail if the run has failed', async () => {
    const { mcp } = await connected(deployment({ state: 'timed_out' }).client);
    const result = await mcp.callTool({ name: 'ask_worker', arguments: { message: 'Go.' } });
    expect(result).toMatchObject({ isError: true, structuredContent: { state: 'timed_out' } });
  });
});

describe.each(eras)('questions for people, on a connection that is %s', (mode) => {
  const go = { name: 'ask_worker', arguments: { message: 'Go.' } };

  test('come with instructions to decide them, if the client has no forms', async () => {
    const { client, did } = deployment({ state: 'waiting_for_input', waits: [approval] });
    const { mcp } = await connected(client, undefined, mode);
    const result = await mcp.callTool(go);
    expect(result).toMatchObject({ structuredContent: { asks: [{ id: 'w1', tool: 'transfer' }] } });
    expect(JSON.stringify(result.content)).toContain('steploop sessions decide s1 --wait w1');
    expect(did).toHaveLength(1);
  });

  test.each([
    [{ decision: 'approve' }, { id: 'w1', approved: true }],
    [
      { decision: 'refuse', why: 'too much' },
      { id: 'w1', approved: false, note: 'too much' },
    ],
  ])("are shown whole, and decided by a person's reply: %o", async (content, decision) => {
    const { client, did } = deployment({ state: 'waiting_for_input', waits: [approval] });
    const { mcp, shown } = await connected(client, { action: 'accept', content }, mode);
    const result = await mcp.callTool(go);
    expect(shown).toEqual(['May the agent run this?\n\ntransfer\nn: 7\nto: [2Jacme']);
    expect(did.slice(1)).toEqual([decision]);
    expect(result).toMatchObject({ structuredContent: { state: 'completed' } });
  });

  test('may be answered', async () => {
    const question: WaitDetails = { ...approval, kind: 'question', whole: 'Which one?' };
    const { client, did } = deployment({ state: 'waiting_for_input', waits: [question] });
    const { mcp } = await connected(client, { action: 'accept', content: { answer: 'The red one' } }, mode);
    await mcp.callTool(go);
    expect(did.slice(1)).toEqual([{ id: 'w1', approved: true, note: 'The red one' }]);
  });

  test.each(['decline', 'cancel'] as const)('stay open if a person says %s', async (action) => {
    const { client, did } = deployment({ state: 'waiting_for_input', waits: [approval] });
    const { mcp, shown } = await connected(client, { action }, mode);
    const result = await mcp.callTool(go);
    expect(shown).toHaveLength(1);
    expect(did).toHaveLength(1);
    expect(result).toMatchObject({ structuredContent: { asks: [{ id: 'w1' }] } });
  });

  test.each([
    ['not all of it can be shown', { isWhole: false }],
    ['the tool has changed since', { isAsAsked: false }],
    ['it is a plan', { kind: 'plan' }],
  ] as const)('are not decided in a form if %s', async (_, more) => {
    const { client, did } = deployment({ state: 'waiting_for_input', waits: [{ ...approval, ...more }] });
    const { mcp, shown } = await connected(
      client,
      { action: 'accept', content: { decision: 'approve' } },
      mode,
    );
    const result = await mcp.callTool(go);
    expect(shown).toEqual([]);
    expect(did).toHaveLength(1);
    expect(result).toMatchObject({ structuredContent: { asks: [{ id: 'w1' }] } });
  });
});
