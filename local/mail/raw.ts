/** A mail in words, as the emulated mailbox takes it. */
export interface WrittenMail {
  readonly from: string;
  readonly to: string;
  readonly subject?: string;
  readonly text?: string;
  readonly inReplyTo?: string;
  readonly references?: string;
  readonly messageId?: string;
  /** Further headers by their names. */
  readonly headers?: Readonly<Record<string, string>>;
}

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
