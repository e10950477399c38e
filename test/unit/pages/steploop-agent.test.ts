import { describe, expect, test, vi } from 'vitest';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import { SteploopAgent } from '../../../web/ag-ui/agent.ts';
import type { Client, From, Listener } from '../../../web/client/connect.ts';
import { ProblemError } from '../../../web/client/problem.ts';

const started: AgUiEvent = { type: 'RUN_STARTED', threadId: 's', runId: 'r.1' };
const ended = {
  type: 'RUN_FINISHED',
  threadId: 's',
  runId: 'r.1',
  outcome: { type: 'success' },
  result: { success: true },
} as unknown as AgUiEvent;

/** A client of a session at `cursor`, which sends these events to its subscribers. */
function clientOf(cursor: number, events: readonly AgUiEvent[]) {
  const calls: unknown[][] = [];
  let at = cursor;
  const did = (name: string, answer?: unknown) =>
    vi.fn(async (...args: unknown[]) => {
      calls.push([name, ...args]);
      return answer;
    });
  const client = {
    session: async () => ({
      ...{ sessionId: 's', state: 'completed', cursor: at, waits: [] },
      run: { id: 'r', ended: true },
    }),
    messages: async () => [],
    pageState: async () => null,
    events: async () => ({ frames: [{ seq: cursor, prev: 0, event: ended }], next: cursor }),
    decide: did('decide'),
    cancel: did('cancel'),
    answerCall: did('answerCall'),
    addMessage: did('addMessage', { sessionId: 's', eventId: 'e', duplicate: false }),
    subscribe(sessionId: string, { onEvent }: Listener, from: From) {
      calls.push(['subscribe', sessionId, from]);
      queueMicrotask(() => {
        for (const event of events) onEvent(event, ++at);
      });
      return { cursor: at, close: () => calls.push(['close']) };
    },
  };
  return { client: client as unknown as Client, calls };
}

describe('SteploopAgent', () => {
  test("decides what the run waits for, and follows from the session's cursor", async () => {
    const { client, calls } = clientOf(7, [started, ended]);
    const agent = new SteploopAgent({ client, agent: 'worker', sessionId: 's' });
    agent.pendingInterrupts = [{ id: 'call-1', reason: 'awaiting_approval' }];
    const resume = [{ interruptId: 'call-1', status: 'resolved' as const, payload: { approved: true } }];
    await agent.runAgent({ resume });
    expect(calls).toEqual([
      ['decide', 's', { id: 'call-1', approved: true }],
      ['subscribe', 's', { after: 7 }],
      ['close'],
    ]);
    expect(agent.pendingInterrupts).toEqual([]);
  });

  test('reports which of its answers came second; the others count', async () => {
    const { client, calls } = clientOf(7, [started, ended]);
    const detail = 'It was denied by user:bob.';
    const problem = { type: 'about:blank', title: 'Already decided', status: 409, detail };
    vi.mocked(client.decide).mockRejectedValueOnce(new ProblemError(problem));
    const agent = new SteploopAgent({ client, agent: 'worker', sessionId: 's' });
    agent.pendingInterrupts = [
      { id: 'call-1', reason: 'approval' },
      { id: 'call-2', reason: 'approval' },
    ];
    const resume = agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: 'resolved' as const,
    }));
    const told: unknown[] = [];
    await agent.runAgent({ resume }, { onCustomEvent: ({ event }) => void told.push(event.value) });
    expect(told).toEqual([{ id: 'call-1', detail }]);
    expect(calls).toContainEqual(['decide', 's', { id: 'call-2', approved: true }]);

    vi.mocked(client.decide).mockRejectedValue(new ProblemError(problem));
    agent.pendingInterrupts = [{ id: 'call-1', reason: 'approval' }];
    const alone = agent.runAgent({ resume: resume.slice(0, 1) });
    await expect(alone).rejects.toThrow('Already decided');
  });

  test('sees its run under the id of its request', async () => {
    const { client } = clientOf(7, [started, ended]);
    const agent = new SteploopAgent({ client, agent: 'worker', sessionId: 's' });
    agent.addMessage({ id: 'm1', role: 'user', content: 'hello' });
    const ids: string[] = [];
    await agent.runAgent(
      { runId: 'mine' },
      {
        onRunStartedEvent: ({ event }) => void ids.push(event.runId),
        onRunFinishedEvent: ({ event }) => void ids.push(event.runId),
      },
    );
    expect(ids).toEqual(['mine', 'mine']);
  });

  test('sends a message by its id', async () => {
    const { client, calls } = clientOf(7, [started, ended]);
    const agent = new SteploopAgent({ client, agent: 'worker', sessionId: 's' });
    agent.addMessage({ id: 'm1', role: 'user', content: [{ type: 'text', text: 'hello' }] });
    expect((await agent.runAgent()).result).toEqual({ success: true });
    expect(calls[0]).toEqual(['addMessage', 's', 'hello', { idempotencyKey: 'm1' }]);
  });

  const paint = { name: 'paint', description: 'Paints.', parameters: { type: 'object' } };

  test('offers the tools of its page with a message', async () => {
    const { client, calls } = clientOf(7, [started, ended]);
    const agent = new SteploopAgent({ client, agent: 'worker', sessionId: 's', initialState: { step: 2 } });
    agent.addMessage({ id: 'm1', role: 'user', content: 'hello' });
    await agent.runAgent({ tools: [paint] });
    const page = { tools: [paint], context: [], state: { step: 2 } };
    expect(calls[0]).toEqual(['addMessage', 's', 'hello', { idempotencyKey: 'm1', page }]);
  });

  test('answers a call of its page, and follows the run; a second answer has no effect, and it is told so', async () => {
    const { client, calls } = clientOf(7, [started, ended]);
    const agent = new SteploopAgent({ client, agent: 'worker', sessionId: 's' });
    const toolCall = { id: 'c1', type: 'function' as const, function: { name: 'paint', arguments: '{}' } };
    agent.setMessages([
      { id: 'a1', role: 'assistant', toolCalls: [toolCall] },
      { id: 'result-c0', role: 'tool', toolCallId: 'c0', content: 'of a tool of the agent' },
      { id: 't1', role: 'tool', toolCallId: 'c1', content: 'done' },
    ]);
    await agent.runAgent({ tools: [paint] });
    expect(calls.slice(0, 2)).toEqual([
      ['answerCall', 's', { toolCallId: 'c1', result: 'done' }],
      ['subscribe', 's', { after: 7 }],
    ]);

    const problem = { type: 'about:blank', title: 'Not waited for', status: 409, detail: 'It is over.' };
    vi.mocked(client.answerCall).mockRejectedValueOnce(new ProblemError(problem));
    const told: unknown[] = [];
    await agent.runAgent({}, { onCustomEvent: ({ event }) => void told.push(event.value) });
    expect(told).toEqual([{ id: 'c1', detail: 'It is over.' }]);
  });

  test('has the state of its session when it connects, and what the model changes of it', async () => {
    const { client } = clientOf(7, []);
    Object.assign(client, { pageState: async () => ({ theme: 'light', mine: 1 }) });
    const agent = new SteploopAgent({ client, agent: 'worker', sessionId: 's' });
    await agent.connectAgent();
    expect(agent.state).toEqual({ theme: 'light', mine: 1 });

    const toolCallId = 'c1';
    const { client: live } = clientOf(7, [
      started,
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: 'set_page_state' },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: '{"theme":"dark"}' },
      { type: 'TOOL_CALL_END', toolCallId },
      {
        ...{ type: 'TOOL_CALL_RESULT', messageId: 'result-c1', toolCallId, role: 'tool' },
        content: '{"changed":{"theme":"dark"}}',
      },
      ended,
    ]);
    agent.client = live;
    agent.addMessage({ id: 'm1', role: 'user', content: 'hello' });
    await agent.runAgent();
    expect(agent.state).toEqual({ theme: 'dark', mine: 1 });
  });

  test('uploads the attachments of a message, in order, and sends them with its text', async () => {
    const { client, calls } = clientOf(7, [started, ended]);
    const upload = vi.fn(async (file: Blob) => `u-${await file.text()}`);
    Object.assign(client, { upload });
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('linked'));
    const agent = new SteploopAgent({ client, agent: 'worker', sessionId: 's' });
    const source = { type: 'data' as const, value: btoa('plan'), mimeType: 'image/png' };
    agent.addMessage({
      id: 'm1',
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'image', source, metadata: { name: 'plan.png' } },
        { type: 'document', source: { type: 'url', value: 'https://example.com/a' } },
        { type: 'audio', source: { type: 'file', value: 'u1' } },
      ],
    });
    await agent.runAgent();
    vi.restoreAllMocks();
    expect(upload.mock.calls.map(([, as]: unknown[]) => as)).toEqual([
      { name: 'plan.png', mediaType: 'image/png' },
      { name: 'document' },
    ]);
    const message = [
      { type: 'image', upload: 'u-plan' },
      { type: 'document', upload: 'u-linked' },
      { type: 'file', upload: 'u1' },
      { type: 'text', text: 'Look.' },
    ];
    expect(calls[0]).toEqual(['addMessage', 's', message, { idempotencyKey: 'm1' }]);
  });

  test('shows attachments again by a link', async () => {
    const { client } = clientOf(7, []);
    const sent = { hash: 'a'.repeat(64), bytes: 1, name: 'plan.png', mediaType: 'image/png', as: 'image' };
    Object.assign(client, {
      messages: async () => [{ id: 'user-1', role: 'user', content: 'Look.', attachments: [sent] }],
      attachment: async (_session: string, hash: string) => ({ url: `https://bucket.example/${hash}` }),
    });
    const agent = new SteploopAgent({ client, agent: 'worker', sessionId: 's' });
    await agent.connectAgent();
    expect(agent.messages).toMatchObject([
      {
        id: 'user-1',
        content: [
          {
            type: 'image',
            source: { type: 'url', value: `https://bucket.example/${sent.hash}`, mimeType: 'image/png' },
          },
          { type: 'text', text: 'Look.' },
        ],
      },
    ]);
  });

  test('shows an idle session without following it', async () => {
    const { client, calls } = clientOf(7, []);
    const agent = new SteploopAgent({ client, agent: 'worker', sessionId: 's' });
    expect((await agent.connectAgent()).result).toEqual({ success: true });
    expect(calls).toEqual([]);
  });

  test('has nothing to show before its session begins, and nothing to stop', async () => {
    const { client, calls } = clientOf(0, []);
    const agent = new SteploopAgent({ client, agent: 'worker' });
    await agent.connectAgent();
    agent.abortRun();
    expect(calls).toEqual([]);
  });

  test('stops the run of its session, and so does its clone', async () => {
    const { client, calls } = clientOf(7, []);
    const agent = new SteploopAgent({ client, agent: 'worker', sessionId: 's' });
    agent.clone().abortRun();
    expect(calls).toEqual([['cancel', 's']]);
  });
});
