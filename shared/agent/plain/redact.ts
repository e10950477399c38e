import { isTooDeep } from './depth.ts';

/** Names of what is secret, in any spelling. */
const SECRET = /secret|token|passw|pwd|api[-_]?key|authorization|cookie|credential|private[-_]?key/i;
/** The same inside of a text, as commands and URLs have it, and tokens that say themselves what they are. */
const SECRET_IN_TEXT =
  /((?:secret|token|passw\w*|pwd|api[-_]?key|authorization|credential)\w*["']?\s*[=: ]\s*(?:bearer\s+)?["']?|\bbearer\s+|:\/\/[^\s/:@]*:)[^\s"'&@]+|\b(?:sk-|gh[pousr]_|xox[abeoprs]-|AKIA)[\w-]{8,}/gi;

const REDACTED = '[redacted]';

/** A value as JSON of at most `most` characters, without what looks like a secret; for showing, not for reading back. */
export function redacted(value: unknown, most: number): string {
  if (isTooDeep(value)) return '…';
  const json = JSON.stringify(value, (key, inner: unknown) => {
    if (SECRET.test(key)) return REDACTED;
    return typeof inner === 'string' ? inner.replace(SECRET_IN_TEXT, `$1${REDACTED}`) : inner;
  });
  const text = json ?? 'null';
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
