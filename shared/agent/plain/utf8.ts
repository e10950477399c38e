const utf8 = new TextEncoder();

/** A text as UTF-8. Lone surrogates become U+FFFD. */
export const encoded = (text: string): Uint8Array<ArrayBuffer> => utf8.encode(text);

/** The bytes that a text takes as UTF-8. */
export const byteLength = (text: string): number => utf8.encode(text).length;
