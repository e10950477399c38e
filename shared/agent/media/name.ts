/** Longest name of an attachment in characters. */
export const MAX_NAME = 200;

/** Control characters, ends of lines, characters that change the reading direction or are invisible, quotes, and path separators. */
const ODD = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"\\/]/gu;

/** Makes a name from outside safe for any line: one segment, in the composed form of Unicode, without quotes. */
export function plainName(given: string): string {
  const last = given
    .slice(-4 * MAX_NAME)
    .toWellFormed()
    .normalize('NFC')
    .split(/[/\\]/)
    .findLast((name) => name.trim() !== '');
  const name = (last ?? '').replaceAll(ODD, '_').replaceAll(/\s+/g, ' ').trim();
  const whole = /^\.*$/.test(name) ? 'file' : name;
  return whole.length <= MAX_NAME ? whole : withEnding(whole);
}

/** Cut in the middle: people recognize a file by the beginning of its name, and programs by its end. */
function withEnding(name: string): string {
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return (
    name
      .slice(0, MAX_NAME - ending.length)
      .toWellFormed()
      .replace(/\ufffd$/, '_') + ending
  );
}
