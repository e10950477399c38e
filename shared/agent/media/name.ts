/** Longest name of an attachment in characters. */
export const MAX_NAME = 200;

/** Controls, ends of lines, what turns the reading direction or is drawn as nothing; quotes, and what separates folders. */
const ODD = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"\\/]/gu;

/** A name that was given outside as one that may stand in any line: one segment, in the composed form of Unicode, without quotes. */
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

/** Cut in the middle: people know a file by its beginning, and programs by its end. */
function withEnding(name: string): string {
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return (
    name
      .slice(0, MAX_NAME - ending.length)
      .toWellFormed()
      .replace(/\ufffd$/, '_') + ending
  );
}
