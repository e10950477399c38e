import * as z from 'zod';

const line = z.string().regex(/^[^\r\n]*$/, 'must be one line');
/** A mail in words, as the emulated mailbox takes it. */
export const WrittenMail = z.strictObject({
  from: line.min(1),
  to: line.min(1),
  subject: line.optional(),
  text: z.string().optional(),
  inReplyTo: line.optional(),
  references: line.optional(),
  messageId: line.optional(),
  /** Further headers by their names. */
  headers: z
    .record(z.string().regex(/^[\x21-\x39\x3b-\x7e]+$/, 'must be the name of a header'), line)
    .optional(),
});
export type WrittenMail = z.infer<typeof WrittenMail>;

/** The mail as a person's program would send it. */
export function rawMail(mail: WrittenMail, fallbackId: string): string {
  const {
    from,
    to,
    subject = '',
    text = '',
    inReplyTo,
    references,
    messageId = fallbackId,
    headers = {},
  } = mail;
  const lines = {
    From: from,
    To: to,
    Subject: `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
    'Message-ID': messageId,
    ...(inReplyTo !== undefined && { 'In-Reply-To': inReplyTo }),
    ...(references !== undefined && { References: references }),
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': 'base64',
    ...headers,
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}`);
  return `${head.join('\r\n')}\r\n\r\n${Buffer.from(text).toString('base64')}\r\n`;
}
