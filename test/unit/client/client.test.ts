import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AgUiEvent, Folded, Frame, RunResult } from '../../../shared/contract/events.ts';
import { foldMessage } from '../../../shared/contract/folds.ts';
import { type Client, connect, type Listener } from '../../../web/client/connect.ts';
import { skipGap, startAt, take } from '../../../web/client/order.ts';
import { ProblemError } from '../../../web/client/problem.ts';
import { emptyView, fold, isWaitingForTools, textOf } from '../../../web/client/view.ts';
import { fakeSessionServer, sessionId, token } from '../../support/fake-session-server.ts';

const text = (delta: string, messageId = 'm1'): AgUiEvent => ({
  type: 'TEXT_MESSAGE_CONTENT',
  messageId,
  delta,
});
const frame = (seq: number, prev = seq - 1, event: AgUiEvent = text(String(seq))): Frame => ({
  seq,
  prev,
  event,
});
const seqs = (frames: readonly Frame[]) => frames.map(({ seq }) => seq);

const isSnapshot = ({ type }: AgUiEvent) => type === 'MESSAGES_SNAPSHOT';

describe('order', () => {
  test('delivers frames in order whatever order they come in', () => {
    const first = take(startAt(0), [frame(3), frame(2)]);
    expect(seqs(first.deliver)).toEqual([]);
    const second = take(first.order, [frame(1)]);
    expect(seqs(second.deliver)).toEqual([1, 2, 3]);
    expect(second.order).toEqual({ last: 3, held: [] });
  });

  test('drops duplicates, delivered and held', () => {
    const held = take(startAt(1), [frame(3), frame(3)]).order;
    const { deliver } = take(held, [frame(1), frame(2), frame(3), frame(2)]);
    expect(seqs(deliver)).toEqual([2, 3]);
  });

  test('continues after an attempt that died, and drops its late frames', () => {
    const { order } = take(startAt(0), [frame(1), frame(2), frame(3)]);
    const next = take(order, [frame(10, 1), frame(4, 3)]);
    // 4 came before 10 was delivered, so it is still in order.
    expect(seqs(next.deliver)).toEqual([4, 10]);
    expect(seqs(take(next.order, [frame(5, 4), frame(11, 10)]).deliver)).toEqual([11]);
  });

  test('releases held frames that a newer lineage supersedes', () => {
    const { order } = take(startAt(1), [frame(5, 4)]);
    const next = take(order, [frame(10, 1)]);
    expect(seqs(next.deliver)).toEqual([10]);
    expect(next.order).toEqual({ last: 10, held: [] });
  });

  test('skips a gap that cannot be filled', () => {
    const { order } = take(startAt(1), [frame(5), frame(6), frame(9)]);
    const skipped = skipGap(order);
    expect(seqs(skipped.deliver)).toEqual([5, 6]);
    expect(seqs(skipped.order.held)).toEqual([9]);
  });
});

describe('client', () => {
  let server: Awaited<ReturnType<typeof fakeSessionServer>>;
  let client: Client;
  let seen: number[];

  beforeEach(async () => {
    server = await fakeSessionServer();
    client = connect({ ...server, token });
    seen = [];
  });
  afterEach(async () => {
    client.close();
    await server.close();
  });

  const listen = (listener: Partial<Listener> = {}, after = 0) =>
    client.subscribe(sessionId, { onEvent: see, ...listener }, { after });
  /** The frames here are pieces of text; events that strict readers get before the first of them are left out. */
  const see = (event: AgUiEvent, seq: number) => {
    if (event.type === 'TEXT_MESSAGE_CONTENT' || event.type === 'CUSTOM') seen.push(seq);
  };
  const until = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 5 });
  const subscribed = (times = 1) => until(() => expect(server.subscribes).toHaveLength(times));
  const log = (...frames: Frame[]) => {
    server.log.push(...frames);
    server.push(...frames);
  };

  test('delivers pushed frames', async () => {
    listen();
    await subscribed();
    log(frame(1), frame(2));
    log(frame(3));
    await until(() => expect(seen).toEqual([1, 2, 3]));
  });

  test('reads over HTTP the events before its subscription, page by page', async () => {
    server.log.push(...[1, 2, 3, 4, 5, 6, 7].map((seq) => frame(seq)));
    listen({}, 1);
    await until(() => expect(seen).toEqual([2, 3, 4, 5, 6, 7]));
    expect(server.subscribes).toEqual([{ after: 1 }]);
  });

  test('fills a gap from the log', async () => {
    listen();
    await subscribed();
    log(frame(1));
    server.log.push(frame(2), frame(3));
    log(frame(4));
    await until(() => expect(seen).toEqual([1, 2, 3, 4]));
  });

  test('waits for a log that lags behind the pushes', async () => {
    listen();
    await subscribed();
    log(frame(1));
    server.push(frame(3));
    await until(() =>
      expect(server.requests.filter((line) => line.includes('after=1')).length).toBeGreaterThan(1),
    );
    expect(seen).toEqual([1]);
    server.log.push(frame(2), frame(3));
    await until(() => expect(seen).toEqual([1, 2, 3]));
  });

  test.each([
    ['continues with another token', token, 0],
    ['is refused without another token', 'expired', 1],
  ])('reconnects after its credential has expired, and %s', async (_what, later, refusals) => {
    let current = token;
    client.close();
    client = connect({ ...server, token: () => current });
    const onRefused = vi.fn();
    listen({ onRefused });
    await subscribed();
    current = later;
    const problem = { type: 'about:blank', title: 'Credential expired', status: 401 };
    server.say(JSON.stringify({ type: 'error', sessionId, problem }));
    await until(() => expect(server.requests.filter((line) => line === 'POST /tickets')).toHaveLength(2));
    if (refusals === 0) {
      await subscribed(2);
      log(frame(1));
      await until(() => expect(seen).toEqual([1]));
    } else await until(() => expect(onRefused).toHaveBeenCalledOnce());
    expect(onRefused).toHaveBeenCalledTimes(refusals);
  });

  test('resumes at its cursor after a lost connection, without missing or repeating a frame', async () => {
    const subscription = listen();
    await subscribed();
    log(frame(1), frame(2));
    await until(() => expect(seen).toEqual([1, 2]));
    server.dropConnections();
    server.log.push(frame(3), frame(4));
    await subscribed(2);
    await until(() => expect(seen).toEqual([1, 2, 3, 4]));
    log(frame(4), frame(5));
    await until(() => expect(seen).toEqual([1, 2, 3, 4, 5]));
    // It may have read the frames in between from the log before it reconnected.
    expect(server.subscribes).toEqual([{ after: 0 }, { after: expect.toBeOneOf([2, 4]) }]);
    expect(subscription.cursor).toBe(5);
  });

  test('delivers each frame once through many drops, duplicates and losses', async () => {
    listen();
    const all = Array.from({ length: 60 }, (_, i) => frame(i + 1));
    for (const [i, next] of all.entries()) {
      server.log.push(next);
      if (i % 3 !== 1) server.push(next);
      if (i % 5 === 0) server.push(...all.slice(Math.max(0, i - 2), i + 1));
      if (i % 20 === 10) server.dropConnections();
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    await until(() => expect(seen).toHaveLength(60));
    expect(seen).toEqual(seqs(all));
  });

  test('continues without frames that are lost for good, and shows the messages instead', async () => {
    const events: AgUiEvent[] = [];
    server.messages.push({ id: 'm1', role: 'assistant', content: 'whole' });
    listen({ onEvent: (event) => events.push(event) });
    await subscribed();
    server.push(frame(3));
    const step: AgUiEvent = { type: 'STEP_FINISHED', stepName: 'step 1' };
    server.push(frame(4, 3, text('4', 'm2')), frame(5, 4, step));
    await vi.waitFor(() => expect(events.filter(isSnapshot)).toHaveLength(2), { timeout: 15_000 });
    // The text of a message that is shown whole is not streamed again; the one with a gap is shown in full at the end.
    const snapshot = { type: 'MESSAGES_SNAPSHOT', messages: server.messages };
    expect(events.filter(({ type }) => type !== 'RUN_STARTED' && type !== 'TEXT_MESSAGE_START')).toEqual([
      snapshot,
      text('4', 'm2'),
      snapshot,
    ]);
  }, 20_000);

  test('asks for the messages when the server says that a snapshot is needed', async () => {
    const events: AgUiEvent[] = [];
    listen({ onEvent: (event) => events.push(event) });
    await subscribed();
    log(frame(1, 0, { type: 'CUSTOM', name: 'steploop.snapshot_needed', value: { why: 'too long' } }));
    await until(() => expect(events.at(-1)).toEqual({ type: 'MESSAGES_SNAPSHOT', messages: [] }));
  });

  test('ignores frames of other sessions and text that is not JSON', async () => {
    listen();
    await subscribed();
    server.say('not json');
    server.say(JSON.stringify({ sessionId: 'other', frames: [frame(1)] }));
    server.say(JSON.stringify({ message: 'Internal server error', connectionId: 'x', requestId: 'y' }));
    log(frame(1));
    await until(() => expect(seen).toEqual([1]));
  });

  test('reports that the session does not exist', async () => {
    const onRefused = vi.fn();
    client.subscribe('nobody', { onEvent: () => {}, onRefused });
    await until(() => expect(onRefused).toHaveBeenCalledOnce());
    expect(onRefused.mock.calls[0]?.[0]).toBeInstanceOf(ProblemError);
  });

  test('reads the log when too many clients follow the session', async () => {
    server.refuse(429, 'Too many subscribers');
    server.log.push(frame(1), frame(2));
    const onRefused = vi.fn();
    listen({ onRefused });
    await until(() => expect(seen).toEqual([1, 2]));
    expect(onRefused).not.toHaveBeenCalled();
  });

  test('reports a wrong token, and stops trying', async () => {
    const onRefused = vi.fn();
    const onStatus = vi.fn();
    const stranger = connect({ ...server, token: 'wrong', onStatus });
    stranger.subscribe(sessionId, { onEvent: () => {}, onRefused });
    await until(() => expect(onRefused).toHaveBeenCalledOnce());
    expect(onStatus).toHaveBeenLastCalledWith('closed');
    expect(server.requests).toHaveLength(1);
  });

  test('delivers nothing after close', async () => {
    const subscription = listen();
    await subscribed();
    subscription.close();
    log(frame(1));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(seen).toEqual([]);
    client.close();
    await until(() => expect(server.connections()).toBe(0));
  });

  test('rejects with the problem document of the server', async () => {
    const error = await client.session('nobody').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProblemError);
    expect((error as ProblemError).message).toBe('Not found: The fake server says so.');
    expect((error as ProblemError).problem.status).toBe(404);
  });
});

test.each([
  [
    [{ path: 'when.cron', message: 'it is never due' }],
    'Invalid body: Correct it. when.cron: it is never due',
  ],
  [
    [
      { path: '', message: 'expected object' },
      { path: 'zone', message: 'unknown' },
    ],
    'Invalid body: Correct it. expected object; zone: unknown',
  ],
  [[], 'Invalid body: Correct it.'],
  [undefined, 'Invalid body: Correct it.'],
])('a problem says which fields are wrong: %j', (errors, says) => {
  const problem = { type: 'about:blank', title: 'Invalid body', status: 400, detail: 'Correct it.' };
  expect(new ProblemError({ ...problem, ...(errors && { errors }) }).message).toBe(says);
});

describe('view', () => {
  const show = (...events: AgUiEvent[]) => events.reduce(fold, emptyView);

  test('joins the deltas of a message and the parts of a call', () => {
    const view = show(
      { type: 'RUN_STARTED', threadId: 't', runId: 'r1' },
      { type: 'STEP_STARTED', stepName: 'step 1' },
      { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
      text('Hello '),
      text('there'),
      { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
      { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'look', parentMessageId: 'm1' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"a":' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '1}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c1' },
      { type: 'TOOL_CALL_RESULT', messageId: 'r', toolCallId: 'c1', content: 'seen', role: 'tool' },
    );
    expect(view.run).toEqual({ kind: 'running', runId: 'r1' });
    expect(view.step).toBe('step 1');
    expect(view.items).toEqual([
      { kind: 'message', id: 'm1', role: 'assistant', text: 'Hello there', open: false },
      { kind: 'call', id: 'c1', name: 'look', args: '{"a":1}', messageId: 'm1', result: 'seen' },
    ]);
  });

  test('A13: a run waits for its tools from its calls to their last result', () => {
    const start = (id: string): AgUiEvent => ({
      type: 'TOOL_CALL_START',
      toolCallId: id,
      toolCallName: 'look',
    });
    const result = (id: string): AgUiEvent => ({
      ...{ type: 'TOOL_CALL_RESULT', messageId: `r${id}`, toolCallId: id, content: 'seen', role: 'tool' },
    });
    const events: [AgUiEvent, boolean][] = [
      [{ type: 'RUN_STARTED', threadId: 't', runId: 'r1' }, false],
      [text('Let me look.'), false],
      [start('c1'), true],
      [start('c2'), true],
      [result('c2'), true],
      [result('c1'), false],
      [start('c3'), true],
      [text('It is 7.', 'm2'), false],
    ];
    let view = emptyView;
    const waited = events.map(([event]) => {
      view = fold(view, event);
      return isWaitingForTools(view);
    });
    expect(waited).toEqual(events.map(([, waits]) => waits));
  });

  test('removes the text and the calls of an attempt that died', () => {
    const view = show(
      { type: 'TEXT_MESSAGE_START', messageId: 'm0', role: 'assistant' },
      text('kept ', 'm0'),
      text('half', 'm1'),
      { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'look', parentMessageId: 'm1' },
      { type: 'CUSTOM', name: 'steploop.aborted', value: { messageIds: ['m1'], why: 'killed' } },
      text('half and the rest', 'm2'),
    );
    expect(textOf(view)).toBe('kept half and the rest');
    expect(view.items.some(({ kind }) => kind === 'call')).toBe(false);
  });

  test('starts from a snapshot, and continues from there', () => {
    const view = show(
      text('gone'),
      {
        type: 'MESSAGES_SNAPSHOT',
        messages: [
          { id: 'u1', role: 'user', content: 'Hi' },
          {
            id: 'a1',
            role: 'assistant',
            content: 'Let me see.',
            toolCalls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
          },
          { id: 't1', role: 'tool', toolCallId: 'c1', content: 'found' },
        ],
      },
      text('Found it.', 'a2'),
    );
    expect(textOf(view)).toBe('Let me see.Found it.');
    expect(textOf(view, 'user')).toBe('Hi');
    expect(view.items).toContainEqual({
      kind: 'call',
      id: 'c1',
      name: 'look',
      args: '{}',
      messageId: 'a1',
      result: 'found',
    });
  });

  test('the end of a message that a snapshot has removed starts no new one (simulator: seed 20000788, busy)', () => {
    const view = show(
      { type: 'REASONING_MESSAGE_START', messageId: 'm-thinking', role: 'reasoning' },
      { type: 'MESSAGES_SNAPSHOT', messages: [] },
      { type: 'REASONING_MESSAGE_END', messageId: 'm-thinking' },
    );
    expect(view.items).toEqual([]);
  });

  test('shows each compaction once, and that one is in progress', () => {
    const folded: Folded = {
      slot: 4,
      why: 'size',
      tokens: { before: 9, after: 3 },
      left: { messages: 2, tokens: 6 },
      costUsd: 0.01,
      model: 'm',
      summary: 'They greeted.',
    };
    const folding: AgUiEvent = {
      type: 'CUSTOM',
      name: 'steploop.folding',
      value: { why: 'size', tokens: 9, chars: 3 },
    };
    const told: AgUiEvent = { type: 'CUSTOM', name: 'steploop.folded', value: folded };
    const message = foldMessage(folded);
    const { id: messageId, activityType } = message;
    const activity: AgUiEvent = { type: 'ACTIVITY_SNAPSHOT', messageId, activityType, content: folded };
    const item = { kind: 'fold', id: 'fold-4', folded };
    expect(show(folding).folding).toEqual({ why: 'size', tokens: 9, chars: 3 });
    for (const end of [told, activity, { type: 'STEP_STARTED', stepName: '2' } as const])
      expect(show(folding, end).folding).toBeUndefined();
    expect(show(text('Hi'), told, activity, text('Ho', 'm2')).items).toEqual([
      expect.objectContaining({ text: 'Hi' }),
      item,
      expect.objectContaining({ text: 'Ho' }),
    ]);
    expect(show({ type: 'MESSAGES_SNAPSHOT', messages: [message] }, told).items).toEqual([item]);
  });

  test('keeps how the run ended', () => {
    const view = show({ type: 'RUN_ERROR', message: 'The model is down.', code: 'provider_error' });
    expect(view.run).toEqual({ kind: 'failed', code: 'provider_error', message: 'The model is down.' });
  });
});

describe('run', () => {
  const ended = (seq: number, object?: unknown): Frame[] => {
    const totals = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
    const state = 'completed';
    const result: RunResult = { success: true, state, reason: state, steps: 1, toolCalls: 0, totals, object };
    return [
      frame(seq, seq - 1, { type: 'CUSTOM', name: 'steploop.ended', value: result }),
      frame(seq + 1, seq, {
        type: 'RUN_FINISHED',
        threadId: sessionId,
        runId: 'r1',
        result,
        outcome: { type: 'success' },
      }),
    ];
  };
  const begun = frame(1, 0, { type: 'RUN_STARTED', threadId: sessionId, runId: 'r1' });

  test('starts a session, and resolves with the result of its run', async () => {
    await using server = await startedServer();
    server.log.push(begun, ...ended(2, { severity: 'high' }));
    const client = connect({ ...server, token });
    const shown: string[] = [];
    const result = await client.run<{ severity: 'low' | 'high' }>(
      { agent: 'report', message: 'It crashes.' },
      { onEvent: ({ type }) => shown.push(type) },
    );
    expect([shown[0], shown.at(-1)]).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    expect(result.object?.severity).toBe('high');
    expect(result).toMatchObject({ sessionId, state: 'completed' });
    // It no longer follows the session.
    client.subscribe(sessionId, { onEvent: () => {} });
    client.close();
  });

  test('rejects when the server refuses, and when the client is closed', async () => {
    await using server = await startedServer();
    const client = connect({ ...server, token });
    const unheard = client.run({ agent: 'report', message: 'It crashes.' });
    await vi.waitFor(() => expect(server.subscribes).toHaveLength(1));
    client.close();
    await expect(unheard).rejects.toThrow('closed');
    const stranger = connect({ ...server, token: 'another' });
    await expect(stranger.run({ agent: 'report', message: 'It crashes.' })).rejects.toThrow(ProblemError);
    stranger.close();
  });

  async function startedServer() {
    const server = await fakeSessionServer();
    return { ...server, [Symbol.asyncDispose]: () => server.close() };
  }
});
