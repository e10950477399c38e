/** Bytes as base64, with padding. */
export function base64Of(bytes: Uint8Array): string {
  let text = '';
  // A call takes some 100,000 arguments. Three bytes are four characters, so that pieces join without padding.
  for (let at = 0; at < bytes.length; at += PIECE)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return text;
}

const PIECE = 3 * 8_192;
