import { hash } from '../plain/hash.ts';
import { separator } from './source.ts';

/** Characters of a name, which servers of models take. */
const MAX_NAME = 64;
/** Names that stay as they are. */
const TAKEN = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_NAME}}$`);
/** Characters of a hash at the end of a name: more when the shorter one meets another name. */
const HASHES = [8, 16, 32];

/**
 * The names that the model knows the tools of a source by: their own after the source's, in letters that model servers take. A name that had to be changed and meets
 * another one, or is too long, ends in a hash of the tool's own. The same for the same list; undefined for a tool that comes again. Pure.
 *
 * @param taken names that the session's other tools have
 */
export function namesFor(
  source: string,
  listed: readonly string[],
  taken: readonly string[],
): (listedAs: string) => string | undefined {
  const plain = (listedAs: string) => `${source}${separator}${listedAs}`;
  const used = new Set(taken);
  // A name that can stay does, whatever stands before its tool in the list.
  const staying = new Set(listed.map(plain).filter((name) => TAKEN.test(name) && !used.has(name)));
  const given = new Set<string>();
  return (listedAs) => {
    if (given.has(listedAs)) return undefined;
    given.add(listedAs);
    const whole = plain(listedAs);
    if (staying.has(whole)) return whole;
    const clean = whole.replaceAll(/[^A-Za-z0-9_-]/g, '_');
    const hashed = HASHES.map(
      (length) => `${clean.slice(0, MAX_NAME - 1 - length)}_${hash(listedAs, length)}`,
    );
    const candidates = clean.length <= MAX_NAME ? [clean, ...hashed] : hashed;
    const name = candidates.find((one) => !used.has(one) && !staying.has(one));
    if (name !== undefined) used.add(name);
    return name;
  };
}
