import { MAX_TEXT } from '../contract/message.ts';
import { htmlToText } from './html.ts';
import type { Mail } from './parse.ts';
import { isForwarded, withoutQuoted } from './quoted.ts';

/** Characters of a mail that are read: more than a message may have, as most of a long mail is its history. */
const MAX_READ = 2_000_000;
/** Room for lines about files, in characters. */
const ROOM = 4_000;

/** A mail as the model reads it. The subject is said once in a thread. */
export function promptOf(
  { subject, text = '', html }: Pick<Mail, 'subject' | 'text' | 'html'>,
  isReply: boolean,
): string {
  const plain = text.slice(0, MAX_READ).toWellFormed();
  const read = plain.trim() === '' && html ? textOfHtml(html, isReply) : plain;
  const body = isReply ? withoutQuoted(read) : read.trim();
  const parts = [isReply || subject === '' ? '' : `Subject: ${subject}`, body];
  const whole = parts.filter((part) => part !== '').join('\n\n');
  const most = MAX_TEXT - ROOM;
  const mark = `\n[cut: the whole has ${whole.length} characters]`;
  return whole.length <= most ? whole : whole.slice(0, most - mark.length).toWellFormed() + mark;
}

/** The text without the elements that hold a reply's history. Mail programs mark what is forwarded alike, and so it is kept whole. */
function textOfHtml(html: string, isReply: boolean): string {
  const whole = htmlToText(html, false);
  return !isReply || isForwarded(whole) ? whole : htmlToText(html, true) || whole;
}
