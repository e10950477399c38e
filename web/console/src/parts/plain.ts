/** Marks that change text direction: with them a text reads differently from its characters (https://trojansource.codes). */
const turns = /[\u202A-\u202E\u2066-\u2069]/g;

/** A text with its invisible direction marks shown, so that people decide on what is really there. */
export const plain = (text: string): string =>
  text.replaceAll(turns, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`);
