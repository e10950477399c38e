/** Bytes as base64, with padding. */
export function base64Of(bytes: Uint8Array): string {
  let text = '';
  // A call takes about 100,000 arguments. Three bytes make four characters, so pieces join without padding.
  for (let at = 0; at < bytes.length; at += PIECE)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return text;
}

const PIECE = 3 * 8_192;

/** The bytes of a base64 text. Throws if it is not one. */
export const bytesOfBase64 = (text: string): Uint8Array => {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
};
