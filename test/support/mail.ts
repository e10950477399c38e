import type { Verdicts } from '../../local/mail/mailbox.ts';
import { type Mailbox, startMailbox } from '../../local/mail/mailbox.ts';
import { rawMail, type WrittenMail } from '../../local/mail/raw.ts';
import type { SentMail } from '../../local/mail/ses.ts';
import { type Embedded, type EmbeddedOptions, embedded } from './embedded.ts';

/** The embedded stack with an emulated mailbox. */
export interface MailWorld extends AsyncDisposable {
  readonly world: Embedded;
  readonly mailbox: Mailbox;
  /** Puts a mail in as a person's program sends it; resolves to its `Message-ID`. */
  write(mail: Partial<WrittenMail>, verdicts?: Verdicts): Promise<string>;
  /** The nth mail that is sent, from 1 on. Rejects after 30 s. */
  nth(n: number): Promise<SentMail>;
}

let count = 0;

export async function mailWorld(options: EmbeddedOptions): Promise<MailWorld> {
  const mailbox = await startMailbox();
  const world = await embedded({ ...options, variables: { SES_URL: mailbox.url, ...options.variables } });
  const { BlobBucketName: bucket = '', MailQueueUrl: queueUrl = '' } = world.stack.outputs;
  mailbox.connect({ endpoints: world.stack.endpoints, bucket, queueUrl });
  return {
    world,
    mailbox,
    async write(mail, verdicts = {}) {
      const whole = {
        from: 'Bob <bob@example.com>',
        to: 'help@acme.example',
        subject: 'Hello',
        text: 'Hi.',
        ...mail,
      };
      const messageId = mail.messageId ?? `<m${++count}@example.com>`;
      const source = /<([^>]+)>/.exec(whole.from)?.[1] ?? whole.from;
      await mailbox.receive(rawMail({ ...whole, messageId }, messageId), {
        ...{ source, recipients: whole.to.split(/,\s*/), verdicts },
      });
      return messageId;
    },
    async nth(n) {
      for (
        const end = Date.now() + 30_000;
        Date.now() < end;
        await new Promise((on) => setTimeout(on, 100))
      ) {
        const found = mailbox.sent[n - 1];
        if (found) return found;
      }
      throw new Error(`there are ${mailbox.sent.length} mails, and not ${n}`);
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await mailbox.stop();
    },
  };
}
