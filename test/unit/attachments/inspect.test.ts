import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { inspect, MAX_PAGES, maxBytes } from '../../../shared/agent/media/inspect.ts';
import { pngOf } from '../../support/images.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const u16 = (n: number) => String.fromCharCode(n >> 8, n & 0xff);
const le16 = (n: number) => String.fromCharCode(n & 0xff, n >> 8);
const padded = (bytes: Uint8Array, length: number) => {
  const all = new Uint8Array(length);
  all.set(bytes);
  return all;
};

const jpeg = (width: number, height: number, scan = true) =>
  latin1(
    `\xff\xd8\xff\xe0${u16(4)}JF\xff\xff\xc2${u16(11)}\x08${u16(height)}${u16(width)}\x01\x01\x11\x00${scan ? `\xff\xda${u16(8)}` : ''}${'\0'.repeat(20)}`,
  );
const gif = (width: number, height: number) =>
  latin1(`GIF89a${le16(width)}${le16(height)}${'\0'.repeat(20)}`);
const webp = (chunk: string, content: string) => {
  const body = `WEBP${chunk}\x20\0\0\0${content}`.padEnd(40, '\0');
  return latin1(`RIFF${le16(body.length)}\0\0${body}`);
};
const lossy = (width: number, height: number) =>
  webp('VP8 ', `\0\0\0\x9d\x01\x2a${le16(width)}${le16(height)}`);
const extended = (width: number, height: number) =>
  webp('VP8X', `\0\0\0\0${le16(width - 1)}\0${le16(height - 1)}\0`);
/** 14 bits each, less one. */
const lossless = (width: number, height: number) => {
  const bits = ((height - 1) << 14) | (width - 1);
  return webp('VP8L', `\x2f${le16(bits & 0xffff)}${le16(bits >>> 16)}`);
};
const pdf = (pages = 1, more = '') =>
  latin1(`%PDF-1.7\n${'<< /Type /Page /Parent 1 0 R >>\n'.repeat(pages)}<< /Type /Pages >>\n${more}%%EOF`);
const zip = zipSync({ 'a.txt': utf8('a') });
const svg = utf8(
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
);

describe('the type of an image is read from its bytes', () => {
  test.each([
    ['png', pngOf(7, 5), 'image/png', 7, 5],
    ['jpeg', jpeg(640, 480), 'image/jpeg', 640, 480],
    ['gif', gif(300, 200), 'image/gif', 300, 200],
    ['webp, lossy', lossy(550, 368), 'image/webp', 550, 368],
    ['webp, lossless', lossless(386, 395), 'image/webp', 386, 395],
    ['webp, extended', extended(400, 301), 'image/webp', 400, 301],
    ['at the limit of pixels', pngOf(8_000, 8_000), 'image/png', 8_000, 8_000],
    ['png with an appended zip', new Uint8Array([...pngOf(7, 5), ...zip]), 'image/png', 7, 5],
  ])('%s', (_name, bytes, mediaType, width, height) => {
    expect(inspect(bytes, 'image')).toEqual({ mediaType, width, height });
  });

  test.each([
    ['nothing', new Uint8Array()],
    ['text', utf8('hello')],
    ['html with an image type', utf8('<html>GIF89a</html>')],
    ['a png that is only a header', pngOf(7, 5).slice(0, 33)],
    ['a png without data', pngOf(7, 5, { data: false })],
    ['a truncated png', pngOf(7, 5).slice(0, -6)],
    ['a png without a width', pngOf(0, 5)],
    [
      'a png signature before other content',
      new Uint8Array([...pngOf().slice(0, 8), ...utf8('x'.repeat(100))]),
    ],
    [
      'a png with a chunk of 4 GB',
      new Uint8Array([...pngOf().slice(0, 33), 255, 255, 255, 255, ...utf8('IDAT')]),
    ],
    ['a jpeg without a scan', jpeg(640, 480, false)],
    ['a jpeg of zero bytes a segment', latin1(`\xff\xd8${`\xff\xe0\0\0`.repeat(10)}`)],
    ['a jpeg of only 0xff', new Uint8Array(1_000).fill(255)],
    ['a truncated gif', gif(3, 2).slice(0, 12)],
    ['a webp that is shorter than declared', lossy(550, 368).slice(0, 36)],
    ['a webp of another kind', webp('ABCD', '\0'.repeat(20))],
    ['a zip', zip],
    ['a pdf', pdf()],
  ])('%s is not an image', (_name, bytes) => {
    expect(inspect(bytes, 'image')).toMatch(/^It is not a whole image: send a PNG, JPEG, GIF or WebP/);
  });

  test('an SVG is not an image for models, and the error says so', () => {
    expect(inspect(svg, 'image')).toMatch(/^It is an SVG, which models do not see/);
  });

  test.each([
    [60_000, 60_000],
    [8_001, 10],
    [10, 0xffff_ffff],
  ])('an image of %i×%i pixels is refused before it is decoded', (width, height) => {
    expect(inspect(pngOf(width, height), 'image')).toMatch(/at most 8000 per side/);
  });

  test('an image of too many bytes is refused', () => {
    const large = padded(pngOf(7, 5), maxBytes.image + 1);
    expect(inspect(large, 'image')).toBe('It has 3750001 bytes: an image has at most 3750000.');
  });
});

describe('a document is a PDF or a text', () => {
  test.each([
    ['a pdf', pdf(3), { mediaType: 'application/pdf', pages: 3 }],
    ['a pdf whose pages cannot be counted', pdf(0), { mediaType: 'application/pdf' }],
    ['text', utf8('naïve ☕\n\tindented\r\n'), { mediaType: 'text/plain' }],
    ['markup', svg, { mediaType: 'text/plain' }],
    ['text with terminal colours', utf8('\u001b[31mred\u001b[0m'), { mediaType: 'text/plain' }],
  ])('%s', (_name, bytes, facts) => {
    expect(inspect(bytes, 'document')).toEqual(facts);
  });

  test.each([
    ['an image', pngOf(), /neither a PDF nor text/],
    ['a zip', zip, /neither a PDF nor text/],
    ['bytes', new Uint8Array([1, 2, 3, 0]), /neither a PDF nor text/],
    ['text in another encoding', new Uint8Array([0xff, 0xfe, 0x41, 0]), /neither a PDF nor text/],
    ['half a character', utf8('☕').slice(0, 2), /neither a PDF nor text/],
    ['a pdf after other content', latin1(`x${'%PDF-1.7'}\0`), /neither a PDF nor text/],
    ['nothing', new Uint8Array(), /It is empty/],
    ['too much text', new Uint8Array(maxBytes.text + 1).fill(97), /a text has at most 400000/],
    ['a large pdf', padded(pdf(), maxBytes.pdf + 1), /a PDF has at most 8000000/],
    ['a long pdf', pdf(MAX_PAGES + 1), /has 101 pages: at most 100/],
    ['an encrypted pdf', pdf(1, '/Encrypt 5 0 R '), /encrypted: send it without a password/],
  ])('%s is not a document', (_name, bytes, why) => {
    expect(inspect(bytes, 'document')).toMatch(why);
  });
});

test.each([
  ['a png', pngOf(), 'image/png'],
  ['a pdf', pdf(), 'application/pdf'],
  ['a zip', zip, 'application/zip'],
  ['an empty zip', zipSync({}), 'application/zip'],
  ['code', utf8('const a = 1;'), 'text/plain'],
  ['an SVG', svg, 'text/plain'],
  ['bytes', new Uint8Array([0, 1, 2]), 'application/octet-stream'],
  ['nothing', new Uint8Array(), 'text/plain'],
])('a file may be %s', (_name, bytes, mediaType) => {
  expect(inspect(bytes, 'file')).toMatchObject({ mediaType });
});

test('a file of too many bytes is refused', () => {
  expect(inspect(new Uint8Array(maxBytes.file + 1), 'file')).toMatch(/a file has at most 20000000/);
});
