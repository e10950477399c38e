import { deflateRawSync } from 'node:zlib';
import { type Zippable, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { unpacked } from '../../../functions/attachments/zip.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const limits = { files: 5, fileBytes: 1_000_000, bytes: 2_000_000 };
const namesIn = (zip: Uint8Array, within = limits) => [...unpacked(zip, within)].map(({ name }) => name);
const read = (zip: Uint8Array) =>
  Object.fromEntries(
    [...unpacked(zip, limits)].map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]),
  );

/** Changes a field of the first entry in the central directory (APPNOTE.TXT 4.3.12). */
function saying(zip: Uint8Array, field: number, value: number, bytes: 2 | 4 = 4): Uint8Array {
  const changed = zip.slice();
  const at = Buffer.from(changed).indexOf('PK\x01\x02', 0, 'latin1') + field;
  const view = new DataView(changed.buffer);
  if (bytes === 2) view.setUint16(at, value, true);
  else view.setUint32(at, value, true);
  return changed;
}
const SIZE = 24;
const PACKED_SIZE = 20;
const METHOD = 10;
const FLAGS = 8;
const WHERE = 42;

test('lists each file with its name, deflated or stored, and skips folders', () => {
  const zip = zipSync({
    'repo/': new Uint8Array(),
    'repo/a.ts': utf8('const a = 1;\n'.repeat(100)),
    'repo/b.ts': [utf8('b'), { level: 0 }],
    'repo/empty': utf8(''),
    'naïve ☕.txt': utf8('☕'),
  });
  expect(read(zip)).toEqual({
    'repo/a.ts': 'const a = 1;\n'.repeat(100),
    'repo/b.ts': 'b',
    'repo/empty': '',
    'naïve ☕.txt': '☕',
  });
  expect(namesIn(zipSync({}))).toEqual([]);
});

test('skips the files that Finder adds', () => {
  const zip = zipSync({ 'a/x': utf8('x'), '__MACOSX/a/._x': utf8('y'), 'a/.DS_Store': utf8('z') });
  expect(namesIn(zip)).toEqual(['a/x']);
});

test('skips links: a workspace has none', () => {
  const link: Zippable[string] = [utf8('/etc/passwd'), { os: 3, attrs: 0o120777 << 16 }];
  expect(namesIn(zipSync({ 'a.txt': utf8('a'), sneaky: link }))).toEqual(['a.txt']);
});

test('keeps a nested archive as a file', () => {
  const inner = zipSync({ x: utf8('x') });
  const [one] = unpacked(zipSync({ 'inner.zip': inner }), limits);
  expect(Buffer.from(one?.bytes ?? [])).toEqual(Buffer.from(inner));
});

test('may be followed by a comment', () => {
  const zip = zipSync({ a: utf8('a') });
  const commented = new Uint8Array([...zip, ...utf8('hello')]);
  new DataView(commented.buffer).setUint16(zip.length - 2, 5, true);
  expect(namesIn(commented)).toEqual(['a']);
});

describe('is refused before anything is unpacked', () => {
  test('when it has too many files', () => {
    const zip = zipSync(Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`f${i}`, utf8('x')])));
    expect(() => namesIn(zip)).toThrow('It has 6 files; at most 5 are allowed.');
  });

  test('when it has 10,001 entries, even if none is a file', () => {
    const zip = zipSync(
      Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`f${i}/`, new Uint8Array()])),
    );
    expect(() => namesIn(zip)).toThrow('It has 10001 entries; at most 10000 are allowed.');
  });

  test('when its declared size is too large, for one file or in total', () => {
    const large = zipSync({ bomb: new Uint8Array(1_000_001) });
    expect(large.length).toBeLessThan(2_000);
    const long = zipSync({ ['n'.repeat(60_000)]: new Uint8Array(1_000_001) });
    expect(() => namesIn(long)).toThrow(/^"n{200}…" has 1000001 bytes/);
    expect(() => namesIn(large)).toThrow('"bomb" has 1000001 bytes; a file may have at most 1000000.');
    const many = zipSync({
      a: new Uint8Array(900_000),
      b: new Uint8Array(900_000),
      c: new Uint8Array(900_000),
    });
    expect(() => namesIn(many)).toThrow('Unpacked it has 2700000 bytes; at most 2000000 are allowed.');
  });

  test.each([
    ['nothing', new Uint8Array()],
    ['text', utf8('PK\x03\x04 it is not')],
    ['half an archive', zipSync({ a: utf8('a'.repeat(1_000)) }).slice(0, -10)],
    ['an archive without its beginning', zipSync({ a: utf8('a'.repeat(1_000)) }).slice(20)],
    ['an entry without a place', saying(zipSync({ a: utf8('a') }), WHERE, 0xffff_ff00)],
    ['an entry that points to another place', saying(zipSync({ a: utf8('a') }), WHERE, 1)],
    ['an entry longer than the archive', saying(zipSync({ a: utf8('a') }), PACKED_SIZE, 1_000_000)],
  ])('when it is %s', (_name, zip) => {
    expect(() => namesIn(zip)).toThrow('It is not a complete zip archive.');
  });
});

describe('a file is held to its declared size', () => {
  test('a file that continues is cut off: a bomb that lies about its size', () => {
    const bomb = zipSync({ bomb: new Uint8Array(50_000_000) });
    expect(() => namesIn(saying(bomb, SIZE, 1_000))).toThrow(
      '"bomb" does not match its entry in the archive.',
    );
  });

  test('a file that ends early is refused, and so is one with a wrong checksum', () => {
    const zip = zipSync({ a: utf8('hello '.repeat(100)) });
    expect(() => namesIn(saying(zip, SIZE, 700))).toThrow('"a" does not match its entry in the archive.');
    expect(() => namesIn(saying(zip, 16, 1))).toThrow('"a" does not match its entry in the archive.');
  });

  test('stored bytes that are fewer or more than declared are refused', () => {
    const zip = zipSync({ a: [utf8('hello'), { level: 0 }] });
    expect(() => namesIn(saying(zip, SIZE, 3))).toThrow('"a" does not match its entry in the archive.');
  });

  test('bytes that are not deflate data are refused', () => {
    const zip = zipSync({ a: [deflateRawSync(utf8('x')), { level: 0 }] });
    expect(() => namesIn(saying(zip, METHOD, 12, 2))).toThrow('"a" has an unsupported compression');
    expect(() => namesIn(saying(zip, METHOD, 8, 2))).toThrow('"a" does not match its entry in the archive.');
  });

  test('encrypted entries are refused', () => {
    expect(() => namesIn(saying(zipSync({ a: utf8('a') }), FLAGS, 1, 2))).toThrow('"a" is encrypted');
  });
});
