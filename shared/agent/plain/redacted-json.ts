import { isTooDeep } from './depth.ts';
import { NAME, REDACTED, withoutSecrets } from './redact.ts';

const NAMED = new RegExp(`${NAME}|token`, 'i');

/** A value as JSON of at most `most` characters, without anything that looks like a secret. For display, not for reading back. */
export function redacted(value: unknown, most: number): string {
  if (isTooDeep(value)) return '…';
  const json = JSON.stringify(value, (key, inner: unknown) => {
    if (NAMED.test(key)) return REDACTED;
    return typeof inner === 'string' ? withoutSecrets(inner) : inner;
  });
  const text = json ?? 'null';
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
