import { SignatureV4 } from '@smithy/signature-v4';
import type { OutgoingMail, SendMail } from '../email/send.ts';
import type { S3Options } from './s3.ts';
import { toSign } from './to-sign.ts';

export interface SesOptions extends Pick<S3Options, 'identity'> {
  /** Base URL of SES in the region. */
  readonly url: string;
}

/** Longest time for one request, in ms. */
const PATIENCE_MS = 10_000;

/** SES did not take a mail, and may take it later. It has the shape of the SDK's errors. */
class SesFailure extends Error {
  override name = 'SesFailure';
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(error: string, httpStatusCode: number) {
    super(`SES did not send a mail: ${error}, HTTP ${httpStatusCode}`);
    this.$metadata = { httpStatusCode };
  }
}

/**
 * Sends with `SendEmail` of the SES API v2, over plain HTTPS and signed with the SDK's own signer: the client would be another 300 KB for
 * one request. SES makes the headers from fields, so no text can end one; and it chooses the `Message-ID` (its developer guide, "Amazon SES
 * header fields"), which is the id in its answer at a domain of the region.
 */
export function createSes({ identity, url }: SesOptions): SendMail {
  const signer = new SignatureV4({ ...identity, service: 'ses' });
  return async (mail, signal) => {
    const at = new URL('/v2/email/outbound-emails', url);
    const body = JSON.stringify(requestOf(mail));
    const { headers } = await signer.sign({
      ...toSign('POST', at, { headers: { 'content-type': 'application/json' } }),
      body,
    });
    const signals = [AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])];
    const response = await fetch(at, { method: 'POST', headers, body, signal: AbortSignal.any(signals) });
    const text = await response.text();
    if (response.ok) return { kind: 'sent', id: `<${idIn(text)}@${await domainOf(identity)}>` };
    const error =
      (response.headers.get('x-amzn-errortype') ?? 'unknown').split(/[:;]/)[0]?.slice(0, 100) ?? '';
    // BadRequestException and MessageRejected: the mail itself. AccountSuspended, paused sending, an unverified domain and limits may pass.
    if (REFUSED.has(error)) return { kind: 'refused', error };
    throw new SesFailure(error, response.status);
  };
}

const REFUSED: ReadonlySet<string> = new Set(['BadRequestException', 'MessageRejected']);

/** The domain of message ids: `email.amazonses.com` in us-east-1, and that of the region elsewhere. */
async function domainOf({ region }: S3Options['identity']): Promise<string> {
  const name = typeof region === 'string' ? region : await region();
  return name === 'us-east-1' ? 'email.amazonses.com' : `${name}.amazonses.com`;
}

const requestOf = ({ from, to, subject, text, html, headers, files = [] }: OutgoingMail) => ({
  FromEmailAddress: from.name ? `"${from.name}" <${from.address}>` : from.address,
  Destination: { ToAddresses: [to] },
  Content: {
    Simple: {
      Subject: { Data: subject, Charset: 'UTF-8' },
      Body: {
        Text: { Data: text, Charset: 'UTF-8' },
        ...(html !== undefined && { Html: { Data: html, Charset: 'UTF-8' } }),
      },
      Headers: headers.map(({ name, value }) => ({ Name: name, Value: value })),
      // SES takes the media type from the name (`Attachment` of its API v2).
      ...(files.length > 0 && {
        Attachments: files.map(({ name, content }) => ({
          FileName: name,
          RawContent: Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64'),
          ContentDisposition: 'ATTACHMENT',
          ContentTransferEncoding: 'BASE64',
        })),
      }),
    },
  },
});

function idIn(text: string): string {
  const { MessageId = '' } = JSON.parse(text) as { MessageId?: string };
  return /^[\w-]{1,200}$/.test(MessageId) ? MessageId : 'unknown';
}
