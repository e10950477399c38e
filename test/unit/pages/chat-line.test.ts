import { asSchema, readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import { newState } from '../../../shared/contract/chat/book.ts';
import type { WholeCall } from '../../../shared/contract/chat/calls.ts';
import type { ChatChunk } from '../../../shared/contract/chat/chunks.ts';
import { chatLine } from '../../../shared/contract/chat/line.ts';
import { ChatState } from '../../../shared/contract/chat/state.ts';
import type { AgUiEvent, Interrupt, SnapshotMessage } from '../../../shared/contract/events.ts';

const own = 'user-key-1';
const started: AgUiEvent = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const step = (n: number): AgUiEvent[] => [{ type: 'STEP_STARTED', stepName: `step ${n}` }];
const stepEnd = (n: number): AgUiEvent[] => [{ type: 'STEP_FINISHED', stepName: `step ${n}` }];
const begun = (messageId: string, delta: string, role: 'user' | 'assistant' = 'assistant'): AgUiEvent[] => [
  { type: 'TEXT_MESSAGE_START', messageId, role },
  { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
];
const textEnd = (messageId: string): AgUiEvent[] => [{ type: 'TEXT_MESSAGE_END', messageId }];
const text = (id: string, delta: string, role?: 'user') => [...begun(id, delta, role), ...textEnd(id)];
const thought = (messageId: string, delta: string): AgUiEvent[] => [
  { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
  { type: 'REASONING_MESSAGE_CONTENT', messageId, delta },
  { type: 'REASONING_MESSAGE_END', messageId },
];
const call = (toolCallId: string, toolCallName: string, delta: string): AgUiEvent[] => [
  { type: 'TOOL_CALL_START', toolCallId, toolCallName },
  { type: 'TOOL_CALL_ARGS', toolCallId, delta },
  { type: 'TOOL_CALL_END', toolCallId },
];
const result = (toolCallId: string, content: string): AgUiEvent => ({
  ...{ type: 'TOOL_CALL_RESULT', messageId: `result-${toolCallId}`, toolCallId, content, role: 'tool' },
});
const aborted = (...messageIds: string[]): AgUiEvent => ({
  ...{ type: 'CUSTOM', name: 'steploop.aborted', value: { messageIds, why: 'it died' } },
});
const recovered: AgUiEvent = {
  ...{ type: 'CUSTOM', name: 'steploop.recovered', value: { attempt: 2, adopted: false, upTo: 1 } },
};
const snapshot = (...messages: SnapshotMessage[]): AgUiEvent => ({ type: 'MESSAGES_SNAPSHOT', messages });
const asked = (id: string, content = 'Hi'): SnapshotMessage => ({ id, role: 'user', content });
const finished = (outcome: object = { type: 'success' }): AgUiEvent =>
  ({ type: 'RUN_FINISHED', threadId: 't', runId: 'r', result: {}, outcome }) as AgUiEvent;
const waits = (...interrupts: Interrupt[]) => finished({ type: 'interrupt', interrupts });
const failed: AgUiEvent = { type: 'RUN_ERROR', message: 'The key is not known.', code: 'provider_error' };
const reconnect: AgUiEvent = { type: 'CUSTOM', name: 'steploop.reconnect', value: { after: 7 } };

/** The chunks of a stream, each of which the package `ai` knows. */
async function chunksOf(
  events: readonly AgUiEvent[],
  from: ChatState = newState('answer-key-1', { own }),
  calls: readonly WholeCall[] = [],
): Promise<ChatChunk[]> {
  const line = chatLine(from);
  const chunks = [...events.flatMap((event) => line.next(event, calls)), ...line.end()];
  const { validate } = asSchema(uiMessageChunkSchema);
  for (const chunk of chunks)
    expect(await validate?.(chunk), JSON.stringify(chunk)).toMatchObject({ success: true });
  return chunks;
}

/** The last message that the package `ai` makes of the chunks, in short. */
async function shownOf(chunks: readonly ChatChunk[], message?: UIMessage): Promise<string[]> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk as UIMessageChunk);
      controller.close();
    },
  });
  let last: UIMessage | undefined;
  const wrong = (error: unknown) => {
    throw error;
  };
  const reading = readUIMessageStream<UIMessage>({
    ...(message && { message: structuredClone(message) }),
    ...{ stream, onError: wrong, terminateOnError: true },
  });
  for await (const one of reading) last = one;
  return (last?.parts ?? []).map((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return `${part.type}: ${part.text}`;
    if ('toolCallId' in part) return `${part.type} ${part.state} ${JSON.stringify(part.input)}`;
    return part.type;
  });
}

const approval: Interrupt = { id: 'w1', reason: 'approval', message: 'pay\nn: 7', toolCallId: 'c1' };
const pay: WholeCall = { id: 'c1', name: 'pay', input: { n: 7 } };

describe('an AG-UI event stream as chunks of the AI SDK', () => {
  test.each<[string, AgUiEvent[], string[], string]>([
    [
      'text and thinking',
      [
        started,
        ...step(1),
        ...text(own, 'Hi', 'user'),
        ...thought('m1-t', 'Hm'),
        ...text('m1', 'Hello'),
        finished(),
      ],
      ['step-start', 'reasoning: Hm', 'text: Hello'],
      'stop',
    ],
    [
      'a call, its result, and the next step',
      [
        ...[started, ...step(1), ...text('m1', 'On it'), ...call('c1', 'look', '{"n":1}')],
        ...[result('c1', '{"ok":true}'), ...stepEnd(1), ...step(2), ...text('m2', 'Done'), finished()],
      ],
      ['step-start', 'text: On it', 'tool-look output-available {"n":1}', 'step-start', 'text: Done'],
      'stop',
    ],
    [
      'a failed call',
      [started, ...step(1), ...call('c1', 'look', '{}'), result('c1', 'Error [error]: no'), finished()],
      ['step-start', 'tool-look output-error {}'],
      'stop',
    ],
    [
      'a step that died in the middle of its text, and its second attempt',
      [
        ...[started, ...step(1), ...begun('m1', 'Half of'), ...textEnd('m1'), ...stepEnd(1), aborted('m1')],
        ...[recovered, ...step(1), snapshot(asked(own)), ...text('m1b', 'All of it'), finished()],
      ],
      ['step-start', 'text: All of it'],
      'stop',
    ],
    [
      'text that turns out to have been thinking',
      [
        ...[started, ...step(1), ...text('m1', 'On it'), ...call('c1', 'look', '1'), result('c1', '2')],
        ...[...stepEnd(1), ...step(2), ...text('m2', 'I add.'), aborted('m2'), ...thought('m2-t', 'I add.')],
        ...[...text('m2b', 'It is 7.'), finished()],
      ],
      [
        ...['step-start', 'text: On it', 'tool-look output-available 1'],
        ...['step-start', 'reasoning: I add.', 'text: It is 7.'],
      ],
      'stop',
    ],
    [
      'a second step that died, which removes nothing of the first',
      [
        ...[
          started,
          ...step(1),
          ...text('m1', 'One'),
          ...call('c1', 'look', '1'),
          result('c1', '2'),
          ...stepEnd(1),
        ],
        ...[...step(2), ...begun('m2', 'Half'), ...textEnd('m2'), ...stepEnd(2), aborted('m2'), recovered],
        ...[...step(2), ...text('m2b', 'Two'), finished()],
      ],
      ['step-start', 'text: One', 'tool-look output-available 1', 'step-start', 'text: Two'],
      'stop',
    ],
    [
      'a reply that a dead attempt had kept: shown whole once',
      [
        ...[
          started,
          ...step(1),
          ...text('m1', 'On it'),
          ...call('c1', 'look', '1'),
          ...stepEnd(1),
          aborted('m1'),
        ],
        ...[recovered, ...step(1)],
        snapshot(asked(own), {
          ...{ id: 'm1', role: 'assistant', content: 'On it' },
          toolCalls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '1' } }],
        }),
        ...[result('c1', '2'), finished()],
      ],
      ['step-start', 'text: On it', 'tool-look output-available 1'],
      'stop',
    ],
    [
      'calls of a dead attempt that were not kept',
      [
        ...[started, ...step(1), ...call('c1', 'look', '1'), ...stepEnd(1), recovered, ...step(1)],
        ...[snapshot(asked(own)), ...text('m1', 'No need'), finished()],
      ],
      ['step-start', 'text: No need'],
      'stop',
    ],
    [
      'a message of another user, in the middle',
      [started, ...step(1), ...text('m1', 'One'), ...text('user-key-2', 'Wait', 'user'), finished()],
      ['step-start', 'text: One', 'data-steploop-said'],
      'stop',
    ],
    [
      'a run that a user has stopped',
      [started, ...step(1), finished({ type: 'cancelled' })],
      [],
      'interrupted',
    ],
    [
      "a message that began another run: the first one's end does not count",
      [started, failed, started, ...step(1), ...text('m2', 'Again'), finished()],
      ['step-start', 'text: Again'],
      'stop',
    ],
  ])('%s', async (_what, events, parts, finishReason) => {
    const chunks = await chunksOf(events);
    expect(chunks[0]).toEqual({ type: 'start', messageId: 'answer-key-1' });
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason });
    expect(await shownOf(chunks)).toEqual(parts);
  });

  test('a failed run ends as an error with a message', async () => {
    const chunks = await chunksOf([started, ...step(1), failed]);
    expect(chunks.at(-1)).toEqual({ type: 'error', errorText: 'The key is not known.' });
  });

  test('a guard verdict, a price and transient events are data parts', async () => {
    const value = { guard: 'loop', action: 'warn', code: 'repeat', message: 'The same again.' } as const;
    const retry = {
      code: 'overloaded',
      message: 'm',
      retry: 1,
      delayMs: 5,
      nextTryAt: '2026-01-01T00:00:00Z',
    };
    const chunks = await chunksOf([
      started,
      { type: 'CUSTOM', name: 'steploop.guard', value },
      { type: 'CUSTOM', name: 'steploop.retry', value: retry },
      finished(),
    ]);
    expect(chunks).toContainEqual({ type: 'data-steploop-guard', data: value });
    expect(chunks).toContainEqual({ type: 'data-steploop-retry', data: retry, transient: true });
    expect(await shownOf(chunks)).toEqual(['data-steploop-guard']);
  });
});

describe('what a run waits for', () => {
  const paying = [
    started,
    ...step(1),
    ...call('c1', 'pay', `{"n":7,"why":"${'x'.repeat(9)}… (9 more characters)`),
  ];

  test('is an approval of its call, with all of its input', async () => {
    const chunks = await chunksOf([...paying, waits(approval)], undefined, [pay]);
    expect(await shownOf(chunks)).toEqual([
      'step-start',
      'tool-pay approval-requested {"n":7}',
      'data-steploop-wait',
    ]);
    expect(chunks).toContainEqual(
      expect.objectContaining({ type: 'tool-approval-request', approvalId: 'w1', reason: 'pay\nn: 7' }),
    );
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'tool-calls' });
  });

  test('is a call for the page to answer, if it is a question', async () => {
    const question: Interrupt = { id: 'w2', reason: 'question', message: 'Which?', toolCallId: 'c1' };
    const ask: WholeCall = { id: 'c1', name: 'ask_user', input: { question: 'Which?' } };
    const events = [started, ...step(1), ...call('c1', 'ask_user', '{"question":"Which?"}'), waits(question)];
    const chunks = await chunksOf(events, undefined, [ask]);
    const inputs = chunks.flatMap((chunk) =>
      chunk.type === 'tool-input-available' ? [chunk.providerExecuted] : [],
    );
    expect(inputs).toEqual([true, false]);
    expect(await shownOf(chunks)).toContain('tool-ask_user input-available {"question":"Which?"}');
  });

  test.each<[string, 'approved' | 'denied', string]>([
    ['continues in the same message', 'approved', 'tool-pay output-available {"n":7}'],
    ['does not run when it is denied', 'denied', 'tool-pay output-denied {"n":7}'],
  ])('%s', async (_what, outcome, shown) => {
    const message: UIMessage = {
      ...{ id: 'answer-key-1', role: 'assistant' },
      parts: [
        { type: 'step-start' },
        {
          ...{ type: 'tool-pay', toolCallId: 'c1', state: 'approval-responded', input: { n: 7 } },
          approval: { id: 'w1', approved: outcome === 'approved' },
        },
      ],
    };
    const from = newState('answer-key-1', { told: ['m1', 'c1'], asked: ['w1'] });
    const value = { id: 'w1', toolCallId: 'c1', outcome, by: 'user:ada' };
    const events: AgUiEvent[] = [
      ...[started, ...step(1), { type: 'CUSTOM', name: 'steploop.decided', value } as AgUiEvent],
      ...[result('c1', outcome === 'denied' ? 'Error [refused]: no' : '{"ok":true}'), ...stepEnd(1)],
      ...[...step(2), ...text('m2', 'So be it'), finished()],
    ];
    const parts = await shownOf(await chunksOf(events, from), message);
    expect(parts).toEqual(['step-start', shown, 'data-steploop-decided', 'step-start', 'text: So be it']);
  });
});

describe('a client that joins', () => {
  const joining = newState('answer', { splits: true });
  const before = [
    asked('user-key-0', 'Before'),
    { id: 'm0', role: 'assistant', content: 'Old' },
  ] as SnapshotMessage[];

  test('in the middle of a turn gets all of that turn, and nothing of the turn before', async () => {
    const events = [
      ...[started, snapshot(...before, asked(own), { id: 'm1', role: 'assistant', content: 'One' })],
      ...[...step(2), ...text('m2', 'Two'), finished()],
    ];
    const chunks = await chunksOf(events, joining);
    expect(chunks[0]).toEqual({ type: 'start', messageId: 'answer-key-1' });
    expect(await shownOf(chunks)).toEqual(['step-start', 'text: One', 'step-start', 'text: Two']);
  });

  test('also gets the images of results, each once', async () => {
    const attachments = [
      {
        hash: 'h',
        name: 'a.png',
        mediaType: 'image/png',
        bytes: 9,
        as: 'image' as const,
        width: 1,
        height: 1,
      },
    ];
    const toolCalls = [{ id: 'c1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }];
    const shown = snapshot(
      asked(own),
      { id: 'a1', role: 'assistant', toolCalls },
      { id: 'result-c1', role: 'tool', toolCallId: 'c1', content: 'Shown.', attachments },
    );
    const again: AgUiEvent = {
      ...{ type: 'CUSTOM', name: 'steploop.attached', value: { messageId: 'result-c1', attachments } },
    };
    const from = newState('answer-key-1', { own });
    const chunks = await chunksOf([started, shown, again, finished()], from);
    expect(chunks.filter(({ type }) => type === 'data-steploop-attached')).toEqual([
      { type: 'data-steploop-attached', id: 'result-c1', data: { toolCallId: 'c1', attachments } },
    ]);
  });

  test('in a turn with no committed step gets that turn, and not the one before', async () => {
    const events = [
      started,
      snapshot(...before),
      ...step(1),
      ...text(own, 'Hi', 'user'),
      ...text('m1', 'One'),
      finished(),
    ];
    const chunks = await chunksOf(events, joining);
    expect(chunks.filter(({ type }) => type === 'start')).toEqual([
      { type: 'start', messageId: 'answer-key-1' },
    ]);
    expect(await shownOf(chunks)).toEqual(['step-start', 'text: One']);
  });

  test('with a new message gets nothing of the current turn before the message is read', async () => {
    const from = newState('answer-key-2', { own: 'user-key-2', until: 'user-key-2' });
    const events = [
      ...[started, ...begun('m1', 'of the turn before'), ...textEnd('m1'), finished()],
      ...[
        started,
        ...step(2),
        ...text('user-key-2', 'Next', 'user'),
        ...text('m2', 'From this one'),
        finished(),
      ],
    ];
    expect(await shownOf(await chunksOf(events, from))).toEqual(['step-start', 'text: From this one']);
  });

  test('after a cut answer continues the same text', async () => {
    const first = await chunksOf([started, ...step(1), ...begun('m1', 'Half of '), reconnect]);
    const cut = first.at(-1);
    if (cut?.type !== 'data-steploop-reconnect') throw new Error('it was not cut');
    expect(cut.data.after).toBe(7);
    const state = ChatState.parse(JSON.parse(JSON.stringify(cut.data.state)));
    const rest = await chunksOf([started, ...begun('m1', 'it'), ...textEnd('m1'), finished()], state);
    expect(await shownOf([...first.slice(0, -1), ...rest])).toEqual(['step-start', 'text: Half of it']);
  });
});
