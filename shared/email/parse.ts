import PostalMime, { type Address } from 'postal-mime';
import { isAddress } from './address.ts';
import { oneLine } from './one-line.ts';

/** A mail, parsed. */
export interface Mail {
  /** The one address in `From`, in lower case. */
  readonly from: string;
  /** The name beside it; empty if there is none. */
  readonly name: string;
  readonly subject: string;
  /** Addresses in `From`, `To` and `Cc`. */
  readonly people: readonly string[];
  /** `Message-ID` with its brackets; undefined if it has none. */
  readonly messageId: string | undefined;
  /** Ids of earlier mails of the thread, the newest first. */
  readonly replyTo: readonly string[];
  /** Ids of `References`, the oldest first. */
  readonly references: readonly string[];
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly files: readonly MailFile[];
  /** How many files were left out, because there are too many. */
  readonly filesLeftOut: number;
  /** The value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

export interface MailFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Most files of one mail. */
const MAX_FILES = 10;
/** Ids of a thread that are looked up. A chain that is longer begins and ends with those that matter. */
const MAX_IDS = 20;
/** Most people of one mail that are remembered. */
const MAX_PEOPLE = 100;
/** Bytes of all headers. SES itself truncates them in notifications above 10 KB. */
const MAX_HEADER_BYTES = 262_144;
/** How deep parts may lie in one another. Real mails have three or four levels. */
const MAX_DEPTH = 20;
/** Characters of a subject. RFC 5322 limits lines, and not headers. */
const MAX_SUBJECT = 500;

/**
 * Parses a mail; `from_is_unclear` if `From` does not name exactly one person, which mail programs and checks may read differently;
 * `unreadable` if it exceeds a limit.
 */
export async function parseMail(raw: Uint8Array): Promise<Mail | 'from_is_unclear' | 'unreadable'> {
  const parsed = await PostalMime.parse(raw, {
    maxNestingDepth: MAX_DEPTH,
    maxHeadersSize: MAX_HEADER_BYTES,
    maxRfc822NestingDepth: 0,
    rfc822Attachments: true,
  }).catch(() => undefined);
  if (!parsed) return 'unreadable';
  const { headers, from, attachments } = parsed;
  const only =
    headers.filter(({ key }) => key === 'from').length === 1 ? from?.address?.toLowerCase() : undefined;
  const line = headers.find(({ key }) => key === 'from')?.value ?? '';
  if (only === undefined || !isAddress(only) || severalIn(line)) return 'from_is_unclear';
  const replyTo = idsIn(parsed.inReplyTo);
  const references = idsIn(parsed.references);
  return {
    from: only,
    name: from?.name ?? '',
    subject: oneLine(parsed.subject ?? '').slice(0, MAX_SUBJECT),
    people: [...new Set([only, ...addressesOf(parsed.to), ...addressesOf(parsed.cc)])].slice(0, MAX_PEOPLE),
    messageId: idsIn(parsed.messageId)[0],
    replyTo: [...new Set([...replyTo.slice(0, 5), ...references.toReversed()])].slice(0, MAX_IDS),
    references,
    text: parsed.text,
    html: parsed.html,
    files: attachments.slice(0, MAX_FILES).map(({ filename, mimeType, content }) => ({
      name: filename ?? (mimeType === 'message/rfc822' ? 'mail.eml' : 'file'),
      bytes: typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content),
    })),
    filesLeftOut: Math.max(0, attachments.length - MAX_FILES),
    header: (name) => headers.find(({ key }) => key === name)?.value,
  };
}

/** Whether a header has more than one address. A comma or `@` in a quoted name or a comment is none. */
function severalIn(value: string): boolean {
  const bare = value
    .slice(0, 2_000)
    .replace(/"(?:[^"\\]|\\.)*"/g, '')
    .replace(/\([^()]*\)/g, '');
  return bare.includes(',') || (bare.match(/@/g) ?? []).length > 1 || value.length > 2_000;
}

const addressesOf = (all: readonly Address[] = []): string[] =>
  all
    .slice(0, MAX_PEOPLE)
    .flatMap((one) => (one.group ? one.group : [one]))
    .flatMap(({ address }) => (address && isAddress(address.toLowerCase()) ? [address.toLowerCase()] : []));

/** Message ids of a header, with their brackets (RFC 5322, section 3.6.4). The first and the last are kept if there are many. */
function idsIn(value = ''): string[] {
  const ids = value.slice(0, 50_000).match(/<[^<>\s]{1,500}>/g) ?? [];
  return ids.length <= MAX_IDS ? ids : [...ids.slice(0, 2), ...ids.slice(2 - MAX_IDS)];
}
