import { withoutLabel } from './address.ts';
import type { Mail } from './parse.ts';

/** The header of our own mails. */
export const OWN_HEADER = 'X-Steploop';

/** Headers that only machines and mailing lists send, whatever their value: RFC 2369, RFC 2919, RFC 3834, and older custom. */
const TELLTALE = [
  'list-id',
  'list-unsubscribe',
  'list-post',
  'x-autoreply',
  'x-autorespond',
  'x-auto-response-suppress',
  'x-failed-recipients',
  OWN_HEADER.toLowerCase(),
];
const PRECEDENCE = new Set(['bulk', 'junk', 'list', 'auto_reply']);
const MACHINES = /^(mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)([+-].*)?$/;

/**
 * Whether a mail was written by a machine: answering one may never end. RFC 3834, section 2, lists who must not be answered.
 *
 * @param source the sender of the envelope: empty for bounces (RFC 5321, section 4.5.5)
 * @param own the addresses of this deployment
 */
export function isAutomatic(
  { from, header }: Pick<Mail, 'from' | 'header'>,
  source: string,
  own: readonly string[],
): boolean {
  if (source === '' || source === '<>' || isMachine(source)) return true;
  if (own.includes(withoutLabel(from)) || own.includes(withoutLabel(source)) || isMachine(from)) return true;
  const submitted = first(header('auto-submitted'));
  if (submitted !== undefined && submitted !== 'no') return true;
  if (PRECEDENCE.has(first(header('precedence')) ?? '')) return true;
  if (/^multipart\/report\b/i.test(header('content-type') ?? '')) return true;
  return TELLTALE.some((name) => header(name) !== undefined);
}

const isMachine = (address: string): boolean =>
  MACHINES.test(address.toLowerCase().slice(0, Math.max(0, address.lastIndexOf('@'))));

/** The first word of a header's value, which parameters may follow. */
const first = (value: string | undefined): string | undefined =>
  value
    ?.trim()
    .toLowerCase()
    .split(/[\s;(]/)[0];
