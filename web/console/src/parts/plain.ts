/** Marks that turn the direction of what follows: with them a text reads as another one than it is (https://trojansource.codes). */
const turns = /[\u202A-\u202E\u2066-\u2069]/g;

/** A text with its invisible marks of direction shown: nobody decides on what reads otherwise than it is. */
export const plain = (text: string): string =>
  text.replaceAll(turns, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`);
