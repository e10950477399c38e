import * as z from 'zod';

const Verdict = z.object({ status: z.string().max(100) }).optional();

/**
 * The notification of Amazon SES about a mail that it has stored in S3 (SES developer guide, "Contents of notifications for Amazon SES
 * email receiving"). Fields that are not used are ignored, because SES may add some.
 */
export const Notification = z.object({
  notificationType: z.literal('Received'),
  receipt: z.object({
    /** The addresses of the envelope that the receipt rule matched. Headers may name others. */
    recipients: z.array(z.string().max(320)).max(500),
    spamVerdict: Verdict,
    virusVerdict: Verdict,
    spfVerdict: Verdict,
    dkimVerdict: Verdict,
    dmarcVerdict: Verdict,
    action: z.object({
      type: z.literal('S3'),
      bucketName: z.string().min(1).max(63),
      objectKey: z.string().min(1).max(1_024),
    }),
  }),
  mail: z.object({
    /** SES's own id of the mail: the same at each delivery of this notification. */
    messageId: z.string().min(1).max(256),
    /** The sender of the envelope; empty for bounces. */
    source: z.string().max(1_000),
    /** ISO 8601: when SES received it. */
    timestamp: z.string().max(64),
  }),
});
export type Notification = z.output<typeof Notification>;

/** The body of a queue message as a notification; undefined if it is none. */
export function notificationIn(body: string): Notification | undefined {
  try {
    return Notification.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
