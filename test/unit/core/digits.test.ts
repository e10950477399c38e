import { expect, test } from 'vitest';
import { jsonWithDigits, parseExactly } from '../../../shared/agent/plain/digits.ts';

test.each<[string, unknown]>([
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['1000000000000000000', 1e18],
  ['12345678901234567890', '12345678901234567890'],
  ['[2512292042121000001, 5]', ['2512292042121000001', 5]],
  ['1e400', '1e400'],
  ['1e22', 1e22],
  ['52.520006599999998', Number('52.520006599999998')],
  ['0.1234567890123456789012', Number('0.1234567890123456789012')],
  ['"2512292042121000001"', '2512292042121000001'],
  ['{"a":"id 2512292042121000001"}', { a: 'id 2512292042121000001' }],
])('%s is read without becoming another number', (text, value) => {
  expect(parseExactly(text)).toEqual(value);
});

test('properties of any name stay properties', () => {
  const value = parseExactly('{"__proto__":2512292042121000001,"constructor":1}') as object;
  expect(Object.entries(value)).toEqual([
    ['__proto__', '2512292042121000001'],
    ['constructor', 1],
  ]);
});

test('bigints are written as numbers while numbers can hold them', () => {
  expect(jsonWithDigits({ a: 5n, b: [2512292042121000001n] })).toBe('{"a":5,"b":["2512292042121000001"]}');
});
