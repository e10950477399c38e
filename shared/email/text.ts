import { MAX_TEXT } from '../contract/message.ts';
import { htmlToText } from './html.ts';
import type { Mail } from './parse.ts';
import { withoutQuoted } from './quoted.ts';

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
  const read = plain.trim() === '' && html ? htmlToText(html, isReply) : plain;
  const body = isReply ? withoutQuoted(read) : read.trim();
  const parts = [isReply || subject === '' ? '' : `Subject: ${subject}`, body];
  const whole = parts.filter((part) => part !== '').join('\n\n');
  const most = MAX_TEXT - ROOM;
  const mark = `\n[cut: the whole has ${whole.length} characters]`;
  return whole.length <= most ? whole : whole.slice(0, most - mark.length).toWellFormed() + mark;
}
