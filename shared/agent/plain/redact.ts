import { isTooDeep } from './depth.ts';

/** Names of secrets, in any spelling. */
const SECRET = /secret|token|passw|pwd|api[-_]?key|authorization|cookie|credential|private[-_]?key/i;
/** The same within a text, such as a command or URL, and tokens whose form identifies them. */
const SECRET_IN_TEXT =
  /((?:secret|token|passw\w*|pwd|api[-_]?key|authorization|credential)\w*["']?\s*[=: ]\s*(?:bearer\s+)?["']?|\bbearer\s+|:\/\/[^\s/:@]*:)[^\s"'&@]+|\b(?:sk-|gh[pousr]_|xox[abeoprs]-|AKIA)[\w-]{8,}/gi;

const REDACTED = '[redacted]';

/** A value as JSON of at most `most` characters, without anything that looks like a secret. For display, not for reading back. */
export function redacted(value: unknown, most: number): string {
  if (isTooDeep(value)) return '…';
  const json = JSON.stringify(value, (key, inner: unknown) => {
    if (SECRET.test(key)) return REDACTED;
    return typeof inner === 'string' ? inner.replace(SECRET_IN_TEXT, `$1${REDACTED}`) : inner;
  });
  const text = json ?? 'null';
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
