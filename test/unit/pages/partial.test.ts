import { expect, test } from 'vitest';
import { partialAnswer } from '../../../web/partial/index.ts';

const text =
  '```json\n{"title":"It \\"crashes\\"","labels":["a","b"],"more":{"n":12.5,"on":true,"off":null}}\n```';

test('a streamed answer shows more with every piece, and at the end all of it', () => {
  const seen = Array.from(text, (_, at) => partialAnswer<{ labels: string[] }>(text.slice(0, at + 1)));
  expect(seen.slice(0, 8)).toEqual(Array(8).fill(undefined));
  const counts = seen.map((value) => value?.labels?.length ?? 0);
  expect(counts).toEqual(counts.toSorted());
  expect(seen.at(-1)).toEqual({
    title: 'It "crashes"',
    labels: ['a', 'b'],
    more: { n: 12.5, on: true, off: null },
  });
});

test('braces in the text before it are not part of it', () => {
  expect(partialAnswer('The set {1, 2}: {"a":"x')).toEqual({ a: 'x' });
});

test.each(['', 'It crashes.', '[1, 2', '{it is}'])('%j is no object', (other) => {
  expect(partialAnswer(other)).toBeUndefined();
});

test('text that turns out to be no object shows nothing, and no nesting of a model throws', () => {
  expect(partialAnswer('{"it" is}')).toEqual({});
  expect(() => partialAnswer('{"a":'.repeat(100_000))).not.toThrow();
  expect(Object.keys(partialAnswer('{"__proto__":{"admin":true},"a":1}') ?? {})).toEqual(['a']);
});
