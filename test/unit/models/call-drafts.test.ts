import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callDrafts } from '../../../shared/models/openai/drafts.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Call {
  readonly name: string;
  readonly json: string;
}
const names = ['weather', 'time', 'get_weather', 'get'];

/** The calls that result from these chunks, each a list of `tool_calls` entries. */
function read(chunks: readonly (readonly Fields[])[], offered = names): Call[] {
  const drafts = callDrafts(offered);
  for (const tool_calls of chunks) drafts.take({ tool_calls });
  return drafts.all().map(({ name, json }) => ({ name, json }));
}
const piece = (name: string | undefined, json: string | undefined, more: Fields = {}): Fields => ({
  ...more,
  function: { ...(name !== undefined && { name }), ...(json !== undefined && { arguments: json }) },
});

const A = '{"city":"A"}';
const B = '{"city":"B"}';
const three = [
  { name: 'weather', json: A },
  { name: 'weather', json: B },
  { name: 'time', json: '{}' },
];

describe('parallel calls without numbers', () => {
  test.each<[string, Fields]>([
    ['all have index 0 and an empty id', { index: 0, id: '' }],
    ['none has an index', {}],
    ['the index is null', { index: null }],
    ['all have one id', { index: 0, id: 'call_0' }],
  ])('%s: each in a chunk of its own', (_name, more) => {
    expect(read(three.map(({ name, json }) => [piece(name, json, more)]))).toEqual(three);
  });

  test('all in one chunk, without an index', () => {
    expect(read([three.map(({ name, json }) => piece(name, json))])).toEqual(three);
  });

  test('two calls of one tool without arguments, in one chunk without an index', () => {
    expect(read([[piece('time', ''), piece('time', '')]])).toHaveLength(2);
  });

  test('the name comes once, and the arguments of the second call start over', () => {
    expect(read([[piece('weather', A, { index: 0 })], [piece(undefined, B, { index: 0 })]])).toEqual([
      three[0],
      three[1],
    ]);
  });
});

describe('one call that is streamed in an unusual way', () => {
  const one = [{ name: 'weather', json: A }];
  test.each<[string, readonly (readonly Fields[])[]]>([
    [
      'an id of its own for each piece',
      [
        [piece('weather', '{"ci', { index: 0, id: 'c1' })],
        [piece(undefined, 'ty":', { index: 0, id: 'c2' })],
        [piece(undefined, '"A"}', { index: 0, id: 'c3' })],
      ],
    ],
    [
      'name first, then fragments',
      [[piece('weather', '')], [piece(undefined, '{"city"')], [piece(undefined, ':"A"}')]],
    ],
    [
      'the name in each fragment',
      [[piece('weather', '{"city"')], [piece('weather', ':"A"}')], [piece('weather', '')]],
    ],
    ['the name in pieces', [[piece('wea', '')], [piece('ther', '')], [piece(undefined, A)]]],
    ['the name longer each time', [[piece('wea', '')], [piece('weather', '')], [piece(undefined, A)]]],
    [
      'an empty object before the arguments',
      [[piece('weather', '{}')], [piece(undefined, '{"city"')], [piece(undefined, ':"A"}')]],
    ],
    [
      'sent whole twice under one id',
      [[piece('weather', A, { id: 'x' })], [piece('weather', A, { id: 'x' })]],
    ],
  ])('%s', (_name, chunks) => {
    expect(read(chunks)).toEqual(one);
  });

  test('braces in a string start no call', () => {
    expect(read([[piece('weather', '{"city":"}')], [piece(undefined, '{"}')]])).toEqual([
      { name: 'weather', json: '{"city":"}{"}' },
    ]);
  });
});

/** The way in which a server streams. */
const style = fc.record({
  index: fc.constantFrom('counted', 'zero', 'none'),
  id: fc.constantFrom('own', 'empty', 'none'),
  name: fc.constantFrom('first', 'each'),
  chunks: fc.constantFrom('own', 'one'),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
});

test('any calls in any style of streaming are read as the calls that were made', () => {
  const call = fc.record({
    name: fc.constantFrom(...names),
    json: fc
      .dictionary(fc.string({ maxLength: 5 }), fc.oneof(fc.string(), fc.constantFrom('}{', '"{', '\\"}')), {
        minKeys: 1,
        maxKeys: 3,
      })
      .map((value) => JSON.stringify(value)),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 5 }), style, (calls, how) => {
      const chunks = calls.map(({ name, json }, at) => {
        const ends = [...how.cuts.map((cut) => Math.floor(cut * json.length)), json.length].sort(
          (a, b) => a - b,
        );
        const fragments = ends.map((end, i) => json.slice(ends[i - 1] ?? 0, end));
        return fragments.map((fragment, i) =>
          piece(i === 0 || how.name === 'each' ? name : undefined, fragment, {
            ...(how.index !== 'none' && { index: how.index === 'zero' ? 0 : at }),
            ...(how.id !== 'none' && i === 0 && { id: how.id === 'own' ? `call_${at}` : '' }),
          }),
        );
      });
      // Several calls in one chunk are complete.
      const isWhole = how.chunks === 'one' && how.cuts.length === 0;
      expect(read(isWhole ? [chunks.flat()] : chunks.flat().map((one) => [one]))).toEqual(calls);
    }),
    { numRuns: 2_000 },
  );
});

test('work grows linearly with the text', () => {
  const drafts = callDrafts(names);
  drafts.take({ tool_calls: [piece('weather', '{"a":"')] });
  for (let i = 0; i < 200_000; i++) drafts.take({ tool_calls: [piece(undefined, '}{')] });
  drafts.take({ tool_calls: [piece(undefined, '"}')] });
  expect(drafts.all()).toHaveLength(1);
});
