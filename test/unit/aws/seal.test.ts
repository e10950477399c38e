import { describe, expect, test } from 'vitest';
import { BrokenSeal, DATA_KEY_BYTES, SEAL_BYTES, sealerOf } from '../../../shared/aws/seal.ts';
import { hasContent } from '../../../shared/aws/sealed-attributes.ts';
import { isSealed, openValue, sealValue } from '../../../shared/aws/sealed-values.ts';
import { tenantOf } from '../../../shared/aws/tenant-of.ts';

const keyOf = (byte: number) => new Uint8Array(DATA_KEY_BYTES).fill(byte);
const withByte = (bytes: Buffer, at: number, byte: number) => bytes.fill(byte, at, at + 1);
const place = sealerOf(keyOf(1)).at('item', 'acme#s1', 'HEAD');
const words = Buffer.from('The words of a person. ☕');
const sealed = place.seal('body', words);

test('what was sealed is opened again, in the same place and under the same name', () => {
  expect(Buffer.from(place.open('body', sealed))).toEqual(words);
  expect(Buffer.from(sealerOf(keyOf(1)).at('item', 'acme#s1', 'HEAD').open('body', sealed))).toEqual(words);
  expect(sealed.length).toBe(words.length + SEAL_BYTES);
  expect(Buffer.from(sealed).includes('words')).toBe(false);
});

test('nothing is sealed and opened like anything else', () => {
  const nothing = place.seal('body', new Uint8Array());
  expect(place.open('body', nothing)).toHaveLength(0);
});

test('equal contents have equal seals, so a condition can compare them; others share no nonce', () => {
  expect(Buffer.from(place.seal('body', words))).toEqual(Buffer.from(sealed));
  const nonces = ['a', 'b', ''].map((text) =>
    Buffer.from(place.seal('body', Buffer.from(text)))
      .subarray(1, 13)
      .toString('hex'),
  );
  nonces.push(
    Buffer.from(place.seal('text', Buffer.from('a')))
      .subarray(1, 13)
      .toString('hex'),
  );
  expect(new Set(nonces).size).toBe(4);
});

test.each<[string, (bytes: Buffer) => Uint8Array]>([
  ['a bit of the content', (bytes) => withByte(bytes, 20, (bytes[20] ?? 0) ^ 1)],
  ['a bit of the nonce', (bytes) => withByte(bytes, 3, (bytes[3] ?? 0) ^ 1)],
  ['a bit of the tag', (bytes) => withByte(bytes, bytes.length - 1, (bytes.at(-1) ?? 0) ^ 1)],
  ['another version', (bytes) => withByte(bytes, 0, 2)],
  ['a shorter tag', (bytes) => bytes.subarray(0, -1)],
  ['a byte more', (bytes) => Buffer.concat([bytes, Buffer.of(0)])],
  ['only a version', () => Buffer.of(1)],
  ['nothing', () => new Uint8Array()],
])('%s is refused', (_what, change) => {
  expect(() => place.open('body', change(Buffer.from(sealed)))).toThrow(BrokenSeal);
});

test.each<[string, () => unknown]>([
  ['another attribute', () => place.open('text', sealed)],
  ['another item', () => sealerOf(keyOf(1)).at('item', 'acme#s1', 'M#0000000001').open('body', sealed)],
  ['another session', () => sealerOf(keyOf(1)).at('item', 'acme#s2', 'HEAD').open('body', sealed)],
  [
    'a key whose parts are cut elsewhere',
    () => sealerOf(keyOf(1)).at('item', 'acme#s1"', 'HEAD').open('body', sealed),
  ],
  ['an object', () => sealerOf(keyOf(1)).at('object', 'acme#s1', 'HEAD').open('body', sealed)],
  [
    'another tenant, whose data key differs',
    () => sealerOf(keyOf(2)).at('item', 'acme#s1', 'HEAD').open('body', sealed),
  ],
])('what is moved to %s cannot be opened', (_where, open) => {
  expect(open).toThrow(BrokenSeal);
});

test('a newer version is named, so an older function says what is wrong', () => {
  const newer = Buffer.from(sealed);
  newer.writeUInt8(9, 0);
  expect(() => place.open('body', newer)).toThrow('has version 9; this code knows 1');
});

test('a data key of another length is refused', () => {
  expect(() => sealerOf(new Uint8Array(16))).toThrow('32 bytes');
});

describe('values', () => {
  test.each<[string, unknown]>([
    ['a text', 'words'],
    ['a lone surrogate', 'cut \ud83d'],
    ['a number', 0],
    ['false', false],
    ['a list', ['a', { b: 1 }]],
    ['an object with a key like that of a seal', { sealed: 'no bytes' }],
    ['nested objects', { constructor: { x: 1 }, list: [] }],
  ])('%s is the same afterwards', (_what, value) => {
    const kept = sealValue(place, 'run', value);
    expect(isSealed(kept)).toBe(true);
    expect(isSealed(value)).toBe(false);
    expect(openValue(place, 'run', kept)).toEqual(value);
  });

  test('bytes stay bytes', () => {
    const opened = openValue(place, 'tail', sealValue(place, 'tail', new Uint8Array([0, 1, 255])));
    expect(opened).toBeInstanceOf(Uint8Array);
    expect([...(opened as Uint8Array)]).toEqual([0, 1, 255]);
  });
});

test.each([
  ['acme#s1', 'acme'],
  ['acme#memory#tenant', 'acme'],
  ['acme/s1/blob', 'acme'],
  ['_uploads/acme/u1', undefined],
  ['_later#abc', undefined],
  ['', undefined],
])('the key %j belongs to the tenant %j', (key, tenant) => {
  expect(tenantOf(key)).toBe(tenant);
});

test('what conditions, indexes and permissions read is never content', () => {
  const read = [
    'pk',
    'sk',
    'ttl',
    'epoch',
    'owner',
    'dueAt',
    'sweepAt',
    'dueShard',
    'leaseUntil',
    'cancelGen',
  ];
  const more = [
    'inbox',
    'inboxSeq',
    'pending',
    'intents',
    'starts',
    'subscribers',
    'listedAs',
    'listedAt',
    'order',
  ];
  for (const name of [
    ...read,
    ...more,
    'state',
    'at',
    'user',
    'blob',
    'buriedAt',
    'config',
    'kind',
    'name',
    'hash',
  ])
    expect(hasContent(name), name).toBe(false);
});
