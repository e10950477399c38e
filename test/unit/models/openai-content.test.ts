import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readArguments, readParts } from '../../../shared/models/openai/calls.ts';
import { contentReader, type Part } from '../../../shared/models/openai/content.ts';

/** The parts read from content in these pieces, and the text that was streamed meanwhile. */
function read(pieces: readonly string[], calls = true) {
  const reader = contentReader({ calls });
  const deltas = [...pieces.flatMap((piece) => reader.write(piece)), ...reader.end()];
  const told = (kind: string) =>
    deltas.flatMap((delta) => (delta.kind === kind ? [delta.text] : [])).join('');
  return { parts: reader.parts(), text: told('text'), thinking: told('thinking') };
}

const text = (said: string): Part => ({ kind: 'text', text: said });
const thinking = (said: string): Part => ({ kind: 'thinking', text: said });
const call = (body: string): Part => ({ kind: 'call', body });
const CLOCK = '{"name":"clock","arguments":{"city":"Lisbon"}}';
const block = (body = CLOCK) => `<tool_call>${body}</tool_call>`;

describe('H12, H19: content with calls in it', () => {
  test.each<[string, string, Part[]]>([
    ['prose only', 'Half past nine.', [text('Half past nine.')]],
    ['nothing', '', []],
    ['a call only', block(), [call(CLOCK)]],
    [
      'prose before a call is kept, white space in between is not',
      `Let me look.\n\n${block()}\n`,
      [text('Let me look.'), call(CLOCK)],
    ],
    ['two calls', `${block()}\n${block('{"name":"now"}')}`, [call(CLOCK), call('{"name":"now"}')]],
    [
      'prose after a call is a paragraph of its own',
      `One.${block()} Two.`,
      [text('One.'), call(CLOCK), text('\n\nTwo.')],
    ],
    ['reasoning is separate', `<think>Hm, ${'<'}b</think>\n\nNine.`, [thinking('Hm, <b'), text('Nine.')]],
    [
      'reasoning before a call, and after it',
      `<think>a</think>${block()}\n<thinking>b</thinking>`,
      [thinking('a'), call(CLOCK), thinking('b')],
    ],
    ['a reasoning tag in the middle of prose is prose', 'Write <think> so.', [text('Write <think> so.')]],
    ['reasoning that was cut', '<think>Hm', [thinking('Hm')]],
    ['text that looks like a tag', 'a <tool_cal b <', [text('a <tool_cal b <')]],
    [
      'the end tag in a string belongs to the string',
      block('{"name":"say","arguments":{"t":"</tool_call>"}}'),
      [call('{"name":"say","arguments":{"t":"</tool_call>"}}')],
    ],
    [
      'a string that never ends does not swallow the rest',
      `${block('{"name":"a}')} So. ${block()}`,
      [call('{"name":"a}'), text('So.'), call(CLOCK)],
    ],
    [
      'a call that was cut',
      `Look. <tool_call>{"name":"clo`,
      [text('Look.'), { kind: 'open_call', body: '{"name":"clo' }],
    ],
    ['an empty call', block(''), [call('')]],
  ])('%s', (_name, content, parts) => {
    expect(read([content]).parts).toEqual(parts);
    expect(read([...content]).parts).toEqual(parts);
  });

  test('without calls, content is text as it came', () => {
    expect(read([` ${block()}\n`], false).parts).toEqual([text(` ${block()}\n`)]);
    expect(read(['\n<think>Hm</think> Nine. '], false).parts).toEqual([text('\n<think>Hm</think> Nine. ')]);
  });

  const fragment = fc.oneof(
    fc.constantFrom(
      '<tool_call>',
      '</tool_call>',
      '<think>',
      '</think>',
      '<thinking>',
      '"',
      '{',
      '}',
      '\\',
      CLOCK,
    ),
    fc.constantFrom(' ', '\n', '<', 'tool_call>', 'Nine.', '<tool', '</'),
    fc.string({ maxLength: 5 }),
  );
  const content = fc.array(fragment, { maxLength: 12 }).map((fragments) => fragments.join(''));

  test.each([true, false])(
    'the split into pieces changes nothing, and text is streamed as it is kept (calls: %s)',
    (calls) => {
      fc.assert(
        fc.property(content, fc.array(fc.nat(200), { maxLength: 20 }), (whole, cuts) => {
          const at = [...new Set(cuts.map((cut) => Math.min(cut, whole.length)))].sort((a, b) => a - b);
          const pieces = [0, ...at].map((from, i) => whole.slice(from, at[i] ?? whole.length));
          expect(pieces.join('')).toBe(whole);
          const once = read([whole], calls);
          const cut = read(pieces, calls);
          expect(cut.parts).toEqual(once.parts);
          const textOf = (kind: string) =>
            cut.parts.flatMap((part) => (part.kind === kind && 'text' in part ? [part.text] : [])).join('');
          expect(cut.text).toBe(textOf('text'));
          expect(cut.thinking).toBe(textOf('thinking'));
        }),
        { numRuns: 2_000 },
      );
    },
  );

  test('H12: complete calls are read back, whatever prose is between them and wherever the reply is cut', () => {
    const json = fc.jsonValue({ maxDepth: 2 });
    const written = fc.record({
      name: fc.constantFrom('a', 'b'),
      arguments: fc.dictionary(fc.string(), json),
    });
    const prose = fc.string().map((said) => said.replaceAll('<', '('));
    const reply = fc.array(fc.record({ prose, written }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(reply, fc.nat(), (turns, cutAt) => {
        const blocks = turns.map(({ prose, written }) => `${prose}${block(JSON.stringify(written))}`);
        const whole = blocks.join('');
        const cut = whole.slice(0, cutAt % (whole.length + 1));
        const complete = blocks.filter((_, i) => blocks.slice(0, i + 1).join('').length <= cut.length).length;
        const { calls, malformed } = readParts(read([cut]).parts, true, () => 'id');
        const wanted = turns.slice(0, complete).map(({ written }) => JSON.parse(JSON.stringify(written)));
        expect(calls.map(({ name, input }) => ({ name, arguments: input }))).toEqual(wanted);
        expect(malformed).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});

describe('readParts', () => {
  const of = (parts: readonly Part[], cut = false) => {
    let made = 0;
    return readParts(parts, cut, () => `id${++made}`);
  };

  test('prose is kept around calls, in order', () => {
    const { content, calls } = of([text('Look.'), call(CLOCK), text('\n\nSo.')]);
    expect(content).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'tool_use', id: 'id1', name: 'clock', input: { city: 'Lisbon' } },
      { type: 'text', text: '\n\nSo.' },
    ]);
    expect(calls).toEqual([{ id: 'id1', name: 'clock', input: { city: 'Lisbon' } }]);
  });

  test.each([
    ['missing arguments are empty', '{"name":"now"}', {}],
    ['arguments as a string of JSON', '{"name":"now","arguments":"{\\"a\\":1}"}', { a: 1 }],
    ['white space around', '\n {"name":"now","arguments":{}} \n', {}],
  ])('%s', (_name, body, input) => {
    expect(of([call(body)])).toMatchObject({ calls: [{ name: 'now', input }], malformed: undefined });
  });

  test.each([
    ['no JSON', '{"name":', 'it is not a JSON object'],
    ['nothing', '', 'it is not a JSON object'],
    ['an array', '[1]', 'it is not a JSON object'],
    ['no name', '{"arguments":{}}', 'it has no "name"'],
    ['an empty name', '{"name":"","arguments":{}}', 'it has no "name"'],
    ['a list of arguments', '{"name":"now","arguments":[1]}', '"arguments" is not an object'],
    ['arguments that are not JSON', '{"name":"now","arguments":"x"}', '"arguments" is not an object'],
  ])('H19: %s is a malformed call, in neither content nor calls', (_name, body, why) => {
    const read = of([text('Look.'), call(body), call(CLOCK)]);
    expect(read.malformed).toBe(`<tool_call>${body} (${why})`);
    expect(read.content).toHaveLength(2);
    expect(read.calls).toHaveLength(1);
  });

  test('H19: the stored text of a malformed call is short', () => {
    expect(of([call('x'.repeat(9_000))]).malformed?.length).toBeLessThan(300);
  });

  test('H12: the cut tail is dropped; without a cut it is read, or malformed', () => {
    const open = (body: string): Part => ({ kind: 'open_call', body });
    expect(of([call(CLOCK), open('{"name":"clo')], true)).toMatchObject({
      calls: [{ name: 'clock' }],
      malformed: undefined,
      cutCalls: true,
    });
    expect(of([open(CLOCK)], true).calls).toEqual([]);
    // Some servers stop at the end tag, and do not send it.
    expect(of([open(CLOCK)], false).calls).toMatchObject([{ name: 'clock' }]);
    expect(of([open('{"name":"clo')], false).malformed).toContain('{"name":"clo (');
  });
});

describe('readArguments', () => {
  test.each<[string, unknown]>([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    [' ', {}],
    ['[1]', [1]],
    ["{'a': 1}", "{'a': 1}"],
    ['nonsense', 'nonsense'],
  ])('%j is complete', (json, called) => {
    expect(readArguments(json)).toMatchObject({ kind: 'whole', called });
  });

  test.each(['{"a":1', '{"a":"b', '[1, 2', '{"a":"}"', '{"a":"\\"}'])('A19, T18: %j was cut', (json) => {
    expect(readArguments(json)).toEqual({ kind: 'cut' });
  });
});
