import * as z from 'zod';
import { extensionOf, UNSENT } from '../../shared/email/attached.ts';

/** A mail that the deployment has sent. */
export interface SentMail {
  /** The id with which SES answers; the `Message-ID` is made of it. */
  readonly id: string;
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Absent: the mail has no HTML. */
  readonly html?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Names and sizes of its attachments. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

const Content = z.strictObject({ Data: z.string(), Charset: z.literal('UTF-8') });

/** An `Attachment` of the SES API v2. */
const Attachment = z.strictObject({
  FileName: z
    .string()
    .min(1)
    .max(255)
    .refine((name) => {
      const extension = extensionOf(name);
      return extension !== undefined && !UNSENT.has(extension);
    }, 'SES takes no file of this type'),
  RawContent: z.base64().min(1),
  ContentDisposition: z.enum(['ATTACHMENT', 'INLINE']).optional(),
  ContentTransferEncoding: z.enum(['BASE64', 'QUOTED_PRINTABLE', 'SEVEN_BIT']).optional(),
  ContentType: z.string().min(1).max(78).optional(),
});

/**
 * `SendEmail` of the SES API v2, as far as the deployment uses it, with the limits of its reference (`MessageHeader`): names of 126
 * characters, values of 870, and printable ASCII only.
 */
export const SendEmail = z.strictObject({
  FromEmailAddress: z.string().min(3),
  Destination: z.strictObject({ ToAddresses: z.array(z.string().regex(/^[^\s<>,]+@[^\s<>,]+$/)).length(1) }),
  Content: z.strictObject({
    Simple: z.strictObject({
      Subject: Content.extend({ Data: z.string().regex(/^[^\r\n]*$/) }),
      Body: z.strictObject({ Text: Content, Html: Content.optional() }),
      Headers: z
        .array(
          z.strictObject({
            Name: z
              .string()
              .max(126)
              .regex(/^[\x21-\x39\x3b-\x7e]+$/)
              .refine((name) => !RESERVED.has(name.toLowerCase())),
            Value: z
              .string()
              .min(1)
              .max(870)
              .regex(/^[\x20-\x7e]*$/),
          }),
        )
        .max(15),
      Attachments: z.array(Attachment).optional(),
    }),
  }),
});

/** Headers that SES sets itself (developer guide, "Amazon SES header fields"). */
const RESERVED = new Set([
  'bcc',
  'cc',
  'content-disposition',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'reply-to',
  'return-path',
  'subject',
  'to',
]);

export function sentMail(
  id: string,
  { FromEmailAddress, Destination, Content }: z.output<typeof SendEmail>,
): SentMail {
  const { Subject, Body, Headers, Attachments = [] } = Content.Simple;
  return {
    id,
    messageId: `<${id}@email.amazonses.com>`,
    from: FromEmailAddress,
    to: Destination.ToAddresses[0] ?? '',
    subject: Subject.Data,
    text: Body.Text.Data,
    ...(Body.Html && { html: Body.Html.Data }),
    headers: Object.fromEntries(Headers.map(({ Name, Value }) => [Name, Value])),
    files: Attachments.map(({ FileName, RawContent }) => ({
      name: FileName,
      bytes: Buffer.from(RawContent, 'base64').length,
    })),
  };
}
