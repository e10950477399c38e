import { hash } from '../plain/hash.ts';
import { separator } from './source.ts';

/** Characters of a name that model servers accept. */
const MAX_NAME = 64;
/** Names that stay as they are. */
const TAKEN = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_NAME}}$`);
/** Characters of a hash at the end of a name: more if the shorter one collides with another name. */
const HASHES = [8, 16, 32];

/**
 * The names by which the model knows the tools of a source: their own after the source's, in letters that model servers accept. A
 * changed name that collides with another, or a name that is too long, ends in a hash of the tool's own name. Deterministic for
 * the same list; undefined for a duplicate tool. Pure.
 *
 * @param taken names of the session's other tools
 */
export function namesFor(
  source: string,
  listed: readonly string[],
  taken: readonly string[],
): (listedAs: string) => string | undefined {
  const plain = (listedAs: string) => `${source}${separator}${listedAs}`;
  const used = new Set(taken);
  // A name that needs no change stays, wherever its tool is in the list.
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
