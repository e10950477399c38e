import { describe, expect, test } from 'vitest';
import { toMessages } from '../../../shared/agent/context/messages.ts';
import { toSnapshot } from '../../../shared/agent/events/snapshot.ts';
import type {
  Block,
  InputTurn,
  ModelSlot,
  ToolResult,
  ToolsSlot,
} from '../../../shared/agent/session/slots.ts';

const said = (text: string): Block => ({ type: 'text', text });
const use = (id: string): Block => ({ type: 'tool_use', id, name: 'get', input: { id } });
const from = (text: string, eventId = text): InputTurn => ({ text, eventId });
const ours = (text: string): InputTurn => ({ text, internal: { reason: 'test' } });

const model = (n: number, input: InputTurn[], content?: Block[]): ModelSlot => ({
  kind: 'model',
  n,
  runId: 'r',
  step: 1,
  input,
  verdicts: [],
  ...(content && {
    reply: {
      messageId: `reply${n}`,
      model: 'm',
      stop: 'end_turn',
      content,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      costUsd: 0,
    },
  }),
});
const result = (callId: string, outcome: ToolResult['outcome'] = 'ok'): ToolResult => ({
  callId,
  name: 'get',
  outcome,
  content: `got ${callId}`,
  durationMs: 1,
});
const tools = (n: number, ...results: ToolResult[]): ToolsSlot => ({
  kind: 'tools',
  n,
  runId: 'r',
  replyTo: `reply${n - 1}`,
  results,
  verdicts: [],
});
const foldFrom = (n: number, start: number, head = 'the head'): ModelSlot => ({
  ...model(n, [{ text: head, internal: { reason: 'fold' } }]),
  fold: {
    why: 'size',
    start,
    clearedBelow: start,
    tokens: { before: 2, after: 1 },
    left: { messages: 1, tokens: 1 },
  },
});
const answer = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `got ${id}` });

describe('toMessages', () => {
  test.each([
    {
      what: 'a first message',
      slots: [],
      input: [from('hi')],
      messages: [{ role: 'user', content: [said('hi')] }],
    },
    {
      what: 'question, answer, question',
      slots: [model(0, [from('hi')], [said('hello')])],
      input: [from('bye')],
      messages: [
        { role: 'user', content: [said('hi')] },
        { role: 'assistant', content: [said('hello')] },
        { role: 'user', content: [said('bye')] },
      ],
    },
    {
      what: 'results first, then text, in one user message',
      slots: [model(0, [from('hi')], [use('a'), use('b')]), tools(1, result('a'), result('b', 'error'))],
      input: [ours('hurry'), from('please')],
      messages: [
        { role: 'user', content: [said('hi')] },
        { role: 'assistant', content: [use('a'), use('b')] },
        {
          role: 'user',
          content: [answer('a'), { ...answer('b'), is_error: true }, said('hurry'), said('please')],
        },
      ],
    },
    {
      what: 'input of a failed call joins the next one',
      slots: [model(0, [from('hi')]), model(1, [from('there')])],
      input: [],
      messages: [{ role: 'user', content: [said('hi'), said('there')] }],
    },
    {
      what: 'a failed call after a batch leaves results first',
      slots: [model(0, [from('hi')], [use('a')]), tools(1, result('a')), model(2, [from('quick')])],
      input: [from('now')],
      messages: [
        { role: 'user', content: [said('hi')] },
        { role: 'assistant', content: [use('a')] },
        { role: 'user', content: [answer('a'), said('quick'), said('now')] },
      ],
    },
    {
      what: 'an empty reply is not sent back',
      slots: [model(0, [from('hi')], [])],
      input: [from('hello?')],
      messages: [{ role: 'user', content: [said('hi'), said('hello?')] }],
    },
  ])('$what', ({ slots, input, messages }) => {
    expect(toMessages(slots, input)).toEqual(messages);
  });

  test.each(['error', 'refused', 'cancelled', 'unknown'] as const)(
    'a result that is %s is marked as an error',
    (outcome) => {
      const slots = [model(0, [from('hi')], [use('a')]), tools(1, result('a', outcome))];
      expect(toMessages(slots, []).at(-1)?.content).toEqual([{ ...answer('a'), is_error: true }]);
    },
  );
});

describe('toSnapshot', () => {
  test('shows no internal text, no thinking, and results next to their calls', () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
    const slots = [
      model(0, [from('hi', 'e1')], [thinking, said('Look'), said('ing'), use('a')]),
      tools(1, result('a')),
      model(2, [ours('go on')], [said('Found')]),
    ];
    expect(toSnapshot(slots, [ours('more'), from('thanks', 'e2')])).toEqual([
      { id: 'user-e1', role: 'user', content: 'hi' },
      {
        id: 'reply0',
        role: 'assistant',
        content: 'Looking',
        toolCalls: [{ id: 'a', type: 'function', function: { name: 'get', arguments: '{"id":"a"}' } }],
      },
      { id: 'result-a', role: 'tool', toolCallId: 'a', content: 'got a' },
      { id: 'reply2', role: 'assistant', content: 'Found' },
      { id: 'user-e2', role: 'user', content: 'thanks' },
    ]);
  });

  test('an input without a reply, and an empty reply, show the input alone', () => {
    const slots = [model(0, [from('a', 'e1')]), model(1, [from('b', 'e2')], [])];
    expect(toSnapshot(slots).map(({ id }) => id)).toEqual(['user-e1', 'user-e2']);
  });
});

describe('a context that begins with a fold', () => {
  const thought: Block = { type: 'thinking', thinking: 'Hm.', signature: 'of its prefix' };
  const before = model(0, [from('hi')], [thought, said('hello')]);
  const kept = model(1, [from('and?')], [thought, said('so')]);
  const fold = foldFrom(2, 1);
  const after = { ...kept, n: 3, reply: kept.reply && { ...kept.reply, fold: 2 } };
  const reading = { fallback: 0, fold: 2 };

  test('has the head first, and no thinking from before: that is bound to the context it was made in', () => {
    expect(toMessages([before, kept, fold, after], [], reading).map(({ content }) => content)).toEqual([
      [said('the head'), said('and?')],
      [said('so')],
      [said('and?')],
      [thought, said('so')],
    ]);
  });

  test('stays the same bytes while it grows', () => {
    const short = toMessages([before, kept, fold], [from('more')], reading);
    const long = toMessages(
      [before, kept, fold, { ...after, input: [from('more')] }],
      [from('most')],
      reading,
    );
    expect(JSON.stringify(long.slice(0, short.length))).toBe(JSON.stringify(short));
  });

  test('may begin with a reply, and never with results', () => {
    const slots = [model(0, [from('hi')], [use('a')]), tools(1, result('a')), model(2, [], [said('so')])];
    const messages = [
      { role: 'user', content: [said('the head')] },
      { role: 'assistant', content: [said('so')] },
    ];
    for (const start of [1, 2])
      expect(toMessages([...slots, foldFrom(3, start)], [], { fallback: 0, fold: 3 })).toEqual(messages);
  });

  test('A20: has no advice of ours if results are cleared, except if two replies would meet without it', () => {
    const slots = [
      model(0, [from('hi'), ours('be quick')], [use('a')]),
      tools(1, result('a')),
      model(2, [ours('look closer')], [said('I see')]),
      model(3, [ours('go on')], [use('b')]),
      tools(4, result('b')),
      model(5, [ours('look again')], [said('so')]),
    ];
    const fold = foldFrom(6, 0);
    const cleared = fold.fold && { ...fold, fold: { ...fold.fold, clearedBelow: 5 } };
    const read = toMessages([...slots, ...(cleared ? [cleared] : [])], [], { fallback: 0, fold: 6 });
    expect(read.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      [said('the head'), said('hi')],
      [answer('a')],
      [said('go on')],
      [answer('b'), said('look again')],
    ]);
  });

  test('has no text in place of a fold, its own or an older one', () => {
    const slots = [
      model(0, [from('hi')], [use('a')]),
      tools(1, result('a')),
      foldFrom(2, 0, 'an older head'),
      foldFrom(3, 0),
      model(4, [], [said('so')]),
    ];
    expect(toMessages(slots, [], { fallback: 0, fold: 3 })).toEqual([
      { role: 'user', content: [said('the head'), said('hi')] },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: [answer('a')] },
      { role: 'assistant', content: [said('so')] },
    ]);
  });
});
