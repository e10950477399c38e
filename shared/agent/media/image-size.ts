/** Facts from an image's own bytes. Undefined if the bytes are not an image, or end too early. */
export interface ImageFacts {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/**
 * Recognizes the images that models accept, by their own bytes. Nothing is decoded, so an image of a million pixels a side
 * costs as much as any other. Data must follow the header: a name and a size alone are not an image.
 */
export function imageIn(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const facts = png(bytes, view) ?? jpeg(view) ?? gif(bytes, view) ?? webp(bytes, view);
  return facts && facts.width > 0 && facts.height > 0 ? facts : undefined;
}

const asciiAt = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** A signature, then chunks: length, name, content, checksum. The first is IHDR, and there is no image without IDAT and IEND. */
function png(bytes: Uint8Array, view: DataView): ImageFacts | undefined {
  if (asciiAt(bytes, 0, 8) !== '\x89PNG\r\n\x1a\n' || asciiAt(bytes, 12, 4) !== 'IHDR') return undefined;
  let hasData = false;
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    const name = asciiAt(bytes, at + 4, 4);
    if (name === 'IDAT') hasData = true;
    if (name !== 'IEND') continue;
    return hasData
      ? { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
      : undefined;
  }
  return undefined;
}

/** Segments: a marker and a length. The frame has the size; the scan after it is the image. */
function jpeg(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  let size: Omit<ImageFacts, 'mediaType'> | undefined;
  for (let at = 2; at + 9 < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    // Any number of 0xff may precede a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === 0xda) return size && { mediaType: 'image/jpeg', ...size };
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function gif(bytes: Uint8Array, view: DataView): ImageFacts | undefined {
  if (!/^GIF8[79]a$/.test(asciiAt(bytes, 0, 6)) || bytes.length < 26) return undefined;
  return { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** RIFF with one of three kinds of first chunk: lossy, lossless, extended. */
function webp(bytes: Uint8Array, view: DataView): ImageFacts | undefined {
  if (asciiAt(bytes, 0, 4) !== 'RIFF' || asciiAt(bytes, 8, 4) !== 'WEBP' || bytes.length < 32)
    return undefined;
  if (view.getUint32(4, true) + 8 > bytes.length) return undefined;
  const mediaType = 'image/webp';
  const u24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_00_00;
  switch (asciiAt(bytes, 12, 4)) {
    case 'VP8 ':
      return {
        mediaType,
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { mediaType, width: u24(24) + 1, height: u24(27) + 1 };
    default:
      return undefined;
  }
}
