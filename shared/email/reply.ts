import { OWN_HEADER } from './automatic.ts';
import { oneLine } from './one-line.ts';
import type { OutgoingMail } from './send.ts';
import type { KeptMail } from './store.ts';

/** Characters of a header's value in a request to SES (`MessageHeader` of its API v2). */
const MAX_HEADER = 870;
const MAX_SUBJECT = 200;

/** A mail in a thread: an answer to its last mail, by headers that mail programs group by (RFC 5322, section 3.6.4). */
export function replyTo(
  last: Pick<KeptMail, 'id' | 'subject' | 'references' | 'mailbox'>,
  {
    to,
    text,
    html,
    name,
  }: Pick<OutgoingMail, 'to' | 'text'> & {
    readonly html?: string | undefined;
    readonly name?: string | undefined;
  },
): OutgoingMail {
  const references = referencesOf([...last.references, last.id].filter((id) => id !== ''));
  return {
    from: { address: last.mailbox, ...(name && { name }) },
    to,
    subject: replySubject(last.subject),
    text,
    ...(html !== undefined && { html }),
    headers: [
      ...(last.id === '' || last.id.length > MAX_HEADER ? [] : [{ name: 'In-Reply-To', value: last.id }]),
      ...(references === '' ? [] : [{ name: 'References', value: references }]),
      // Programs that answer by themselves do not answer a mail with this header (RFC 3834, section 5).
      { name: 'Auto-Submitted', value: 'auto-replied' },
      { name: 'X-Auto-Response-Suppress', value: 'All' },
      { name: OWN_HEADER, value: '1' },
    ],
  };
}

/** `Re: ` before the subject, once, in whatever language the person's program says it. */
function replySubject(subject: string): string {
  const line = oneLine(subject).slice(0, MAX_SUBJECT);
  if (line === '') return 'Re: your mail';
  return /^(?:re|aw|antw|sv|vs|ref|rif|odp|回复|回覆)\s?(?:\[\d+\])?[:：]/i.test(line) ? line : `Re: ${line}`;
}

/** The ids of a thread that fit into a header: the first, by which programs find the thread, and the last ones. */
function referencesOf(ids: readonly string[]): string {
  const known = [...new Set(ids.filter((id) => /^<[\x21-\x7e]+>$/.test(id) && id.length < MAX_HEADER / 2))];
  const [first, ...rest] = known;
  if (first === undefined) return '';
  const kept: string[] = [];
  let room = MAX_HEADER - first.length;
  for (const id of rest.toReversed()) {
    room -= id.length + 1;
    if (room < 0) break;
    kept.unshift(id);
  }
  return [first, ...kept].join(' ');
}
