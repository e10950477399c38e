import { crc32, deflateSync } from 'node:zlib';

/** A PNG of one colour. Its header may declare more pixels than it has. */
export function pngOf(
  width = 2,
  height = 2,
  { salt = 0, data = true }: { salt?: number; data?: boolean } = {},
): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const row = Buffer.alloc(1 + 3 * Math.min(width, 64), salt);
  row[0] = 0;
  const rows = Buffer.concat(Array.from({ length: Math.min(height, 64) }, () => row));
  return new Uint8Array(
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', header),
      ...(data ? [chunk('IDAT', deflateSync(rows))] : []),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
