import { describe, expect, test } from 'vitest';
import { toMessages } from '../../../shared/agent/context/messages.ts';
import { formats } from '../../../shared/agent/history/formats.ts';
import { turnsOf } from '../../../shared/agent/history/of-slots.ts';
import { toSlots } from '../../../shared/agent/history/to-slots.ts';
import type { ModelSlot, Slot } from '../../../shared/agent/session/slots.ts';
import type { HistoryFormat } from '../../../shared/contract/history.ts';

const image = { hash: 'h', bytes: 3, mediaType: 'image/png', name: 'image', as: 'image' } as const;
const slotsOf = (format: HistoryFormat, messages: readonly unknown[]): Slot[] =>
  toSlots(formats[format].read(messages).turns, { importId: 'import-1', attachmentOf: () => image });
const leftOutOf = (format: HistoryFormat, messages: readonly unknown[]) =>
  formats[format].read(messages).leftOut;

const user = { role: 'user', content: 'Hi.' };
const asks = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{"n":1}' } })),
});
const answers = (id: string, content = 'ok') => ({ role: 'tool', tool_call_id: id, content });
const uses = (id: string) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name: 'look', input: {} }],
});

describe('an imported conversation', () => {
  test('has the slots that it would have had here, marked as imported, without cost', () => {
    const slots = slotsOf('openai', [
      user,
      asks('c1', 'c2'),
      answers('c2', 'two'),
      answers('c1', 'one'),
      user,
    ]);
    expect(slots.map(({ kind, n }) => [kind, n])).toEqual([
      ['model', 0],
      ['tools', 1],
      ['model', 2],
    ]);
    expect(slots[0]).toMatchObject({
      input: [{ text: 'Hi.', eventId: 'import-1-1' }],
      reply: {
        imported: true,
        model: 'imported',
        costUsd: 0,
        usage: { input: 0, output: 0 },
        stop: 'tool_use',
      },
    });
    // In the order of the calls, whatever the order of their results.
    expect(slots[1]).toMatchObject({
      results: [
        { callId: 'c1', content: 'one' },
        { callId: 'c2', content: 'two' },
      ],
    });
    expect(slots[2]).not.toHaveProperty('reply');
  });

  test('reports a call without a result as not run', () => {
    const slots = slotsOf('openai', [user, asks('c1', 'c2'), answers('c2'), user]);
    expect(slots[1]).toMatchObject({
      results: [
        { callId: 'c1', outcome: 'error', content: expect.stringContaining('not_run') },
        { callId: 'c2', outcome: 'ok' },
      ],
    });
  });

  test('gives each call an id of its own that servers accept', () => {
    const reused = [
      user,
      asks('call_0'),
      answers('call_0'),
      asks('call_0'),
      answers('call_0'),
      asks('ü!'),
      answers('ü!'),
    ];
    const results = slotsOf('openai', reused).flatMap((slot) => (slot.kind === 'tools' ? slot.results : []));
    expect(results.map(({ callId }) => callId)).toEqual(['call_0', 'call_0_2', '__']);
  });

  test('that begins with the assistant begins with the user for the model, and is shown unchanged to people', () => {
    const slots = slotsOf('openai', [{ role: 'assistant', content: 'Welcome.' }, user]);
    expect(toMessages(slots, []).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(turnsOf(slots).map(({ kind }) => kind)).toEqual(['reply', 'user']);
  });

  test('joins consecutive replies, and leaves out empty ones', () => {
    const said = (content: string) => ({ role: 'assistant', content });
    const slots = slotsOf('openai', [
      user,
      said('One.'),
      said(' '),
      said('Two.'),
      { role: 'user', content: '\n' },
    ]);
    expect(slots).toHaveLength(1);
    expect((slots[0] as ModelSlot).reply?.content).toEqual([
      { type: 'text', text: 'One.' },
      { type: 'text', text: '\n\nTwo.' },
    ]);
  });

  test('keeps bytes as attachments, and content stored elsewhere as a note', () => {
    const data = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const link = { type: 'url', url: 'https://example.com/x.png' };
    const content = [
      { type: 'image', source: data },
      { type: 'image', source: link },
    ];
    const [slot] = slotsOf('anthropic', [{ role: 'user', content }]);
    expect(slot).toMatchObject({
      input: [{ text: '[the image, not imported: https://example.com/x.png]', attachments: [image] }],
    });
    expect(leftOutOf('anthropic', [{ role: 'user', content }])).toMatchObject({ links: 1 });
  });

  test('has no system messages and no thinking', () => {
    const openai = [
      { role: 'system', content: 'You are a pirate.' },
      { role: 'developer', content: 'Arr.' },
      user,
      { role: 'assistant', content: 'Ahoy.', reasoning_content: 'Hm.' },
    ];
    expect(leftOutOf('openai', openai)).toEqual({ system: 2, thinking: 1, links: 0, parts: 0 });
    const anthropic = {
      role: 'assistant',
      model: 'claude-x',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
        { type: 'text', text: 'Ahoy.' },
      ],
    };
    expect(leftOutOf('anthropic', [user, anthropic])).toMatchObject({ thinking: 1, parts: 1 });
    expect(slotsOf('anthropic', [user, anthropic])).toMatchObject([
      { reply: { model: 'claude-x', content: [{ type: 'text', text: 'Ahoy.' }] } },
    ]);
    const ui = [
      { role: 'system', parts: [] },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'data-chart', data: 1 },
        ],
      },
    ];
    expect(leftOutOf('ai-sdk', ui)).toEqual({ system: 1, thinking: 1, links: 0, parts: 1 });
  });

  test('of a page is one reply for each of its steps, also if the user has steered', () => {
    const tool = (id: string, over: object) => ({ type: 'tool-look', toolCallId: id, input: {}, ...over });
    const parts = [
      { type: 'step-start' },
      { type: 'text', text: 'Looking.' },
      tool('c1', { state: 'output-available', output: { n: 1 } }),
      { type: 'steering-message', id: 's1', parts: [{ type: 'text', text: 'Faster.' }] },
      { type: 'step-start' },
      tool('c2', { state: 'output-error', errorText: 'No.' }),
      tool('c3', { state: 'input-available' }),
      { ...tool('c4', { state: 'output-available', output: 'x' }), type: 'dynamic-tool', toolName: 'other' },
      tool('c5', { state: 'input-streaming' }),
      { type: 'text', text: 'Done.' },
    ];
    const slots = slotsOf('ai-sdk', [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Look.' }] },
      { id: 'a', role: 'assistant', parts },
    ]);
    expect(slots.map(({ kind }) => kind)).toEqual(['model', 'tools', 'model', 'tools', 'model']);
    expect(slots[1]).toMatchObject({ results: [{ callId: 'c1', content: '{"n":1}', json: true }] });
    expect(slots[2]).toMatchObject({ input: [{ text: 'Faster.' }] });
    expect(slots[3]).toMatchObject({
      results: [
        { callId: 'c2', outcome: 'error', content: 'No.' },
        { callId: 'c3', outcome: 'error', content: expect.stringContaining('not_run') },
        { callId: 'c4', name: 'other', content: 'x' },
      ],
    });
  });
});

describe('a message that cannot be imported is reported by its index', () => {
  const refused: [string, HistoryFormat, unknown[], RegExp][] = [
    ['a result without a call', 'openai', [user, answers('c1')], /^messages\[1\]: .*"c1"/],
    [
      'a result after a message of the user',
      'openai',
      [user, asks('c1'), user, answers('c1')],
      /^messages\[3\]: .*"c1"/,
    ],
    [
      'a second result',
      'openai',
      [user, asks('c1'), answers('c1'), answers('c1')],
      /^messages\[3\]: .*second/,
    ],
    ['two calls of one id', 'openai', [user, asks('c1', 'c1')], /^messages\[1\]: two calls/],
    ['an unknown role', 'openai', [user, { role: 'function', content: '' }], /^messages\[1\]: role/],
    [
      'an unknown part',
      'openai',
      [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }],
      /^messages\[0\]: content/,
    ],
    [
      'arguments that are not an object',
      'openai',
      [{ ...asks('c1'), tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '[1]' } }] }],
      /^messages\[0\]: .*must be a JSON object/,
    ],
    [
      'arguments that are not JSON',
      'openai',
      [{ ...asks('c1'), tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{' } }] }],
      /^messages\[0\]: .*not JSON/,
    ],
    [
      'a name that servers refuse',
      'anthropic',
      [{ role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'a b', input: {} }] }],
      /^messages\[0\]: the tool "a b"/,
    ],
    [
      'an unknown block',
      'anthropic',
      [uses('c1'), { role: 'assistant', content: [{ type: 'hologram' }] }],
      /^messages\[1\]: .*hologram/,
    ],
    [
      'an unknown part of a page',
      'ai-sdk',
      [{ role: 'user', parts: [{ type: 'hologram' }] }],
      /^messages\[0\]: .*hologram/,
    ],
    ['an entry that is not a message', 'ai-sdk', [user], /^messages\[0\]: parts/],
    [
      'a data URL that is not in base64',
      'ai-sdk',
      [{ role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'data:image/png,AAA' }] }],
      /^messages\[0\]: .*base64/,
    ],
  ];
  test.each(refused)('%s', (_, format, messages, sentence) => {
    expect(() => slotsOf(format, messages)).toThrow(sentence);
  });
});
