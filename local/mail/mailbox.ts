/** An emulated mailbox: a place to put in mails for the deployment, as SES would receive them, and to see those that it has sent. */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { mailPrefix } from '../../shared/contract/env.ts';
import { rawMail, WrittenMail } from './raw.ts';
import { SendEmail, type SentMail, sentMail } from './ses.ts';
import { local, storeMail } from './store.ts';

/** Where SES would store mails, and where it would send its notifications. */
export interface Received {
  readonly endpoints: { readonly sqs: string; readonly s3: string };
  readonly bucket: string;
  readonly queueUrl: string;
}

/** What SES has found in a mail. */
export interface Verdicts {
  readonly spam?: string;
  readonly virus?: string;
  readonly spf?: string;
  readonly dkim?: string;
  readonly dmarc?: string;
}

/** The envelope of a mail. */
export interface Envelope {
  /** The sender; empty for bounces. */
  readonly source: string;
  readonly recipients: readonly string[];
  readonly verdicts?: Verdicts;
  /** Receives the same mail again. */
  readonly id?: string;
}

export interface Mailbox {
  readonly url: string;
  readonly sent: readonly SentMail[];
  /** Connects it to a deployment. */
  connect(received: Received): void;
  /** Puts a mail in. Returns SES's id of it. */
  receive(raw: string | Uint8Array, envelope: Envelope): Promise<string>;
  stop(): Promise<void>;
}

/** SES receives mails of up to 40 MB. */
const MAX_BYTES = 40 * 1024 * 1024;

/** Starts it on a free port. */
export async function startMailbox(port = 0): Promise<Mailbox> {
  const sent: SentMail[] = [];
  let into: (Received & { readonly sqs: SQSClient }) | undefined;

  async function receive(raw: string | Uint8Array, { source, recipients, verdicts = {}, id }: Envelope) {
    if (!into) throw new Error('the mailbox is not connected to a deployment');
    const messageId = id ?? randomBytes(16).toString('hex');
    const key = `${mailPrefix}/${messageId}`;
    await storeMail(into.endpoints.s3, into.bucket, key, raw);
    const { spam = 'PASS', virus = 'PASS', spf = 'PASS', dkim = 'PASS', dmarc = 'PASS' } = verdicts;
    const timestamp = new Date().toISOString();
    const notification = {
      notificationType: 'Received',
      receipt: {
        ...{ timestamp, processingTimeMillis: 100, recipients },
        spamVerdict: { status: spam },
        virusVerdict: { status: virus },
        spfVerdict: { status: spf },
        dkimVerdict: { status: dkim },
        dmarcVerdict: { status: dmarc },
        action: {
          type: 'S3',
          topicArn: 'arn:aws:sns:us-east-1:000000000000:mail',
          bucketName: into.bucket,
          objectKey: key,
        },
      },
      mail: { timestamp, source, messageId, destination: recipients, headersTruncated: false },
    };
    await into.sqs.send(
      new SendMessageCommand({ QueueUrl: into.queueUrl, MessageBody: JSON.stringify(notification) }),
    );
    return messageId;
  }

  async function put(request: IncomingMessage, url: URL): Promise<string> {
    const body = await bodyOf(request);
    const { searchParams: query } = url;
    const given = (name: string) => query.get(name) ?? undefined;
    const verdicts = Object.fromEntries(
      ['spam', 'virus', 'spf', 'dkim', 'dmarc'].flatMap((name) => (given(name) ? [[name, given(name)]] : [])),
    );
    if (!request.headers['content-type']?.startsWith('application/json')) {
      const recipients = query.getAll('to');
      if (recipients.length === 0) throw new Error('Say for whom the mail is: ?from=…&to=….');
      return receive(body, { source: given('from') ?? '', recipients, verdicts });
    }
    const { data: mail, error } = WrittenMail.safeParse(JSON.parse(body.toString('utf8')));
    if (!mail) throw new Error(z.prettifyError(error));
    const address = (field: string) => /<([^>]+)>/.exec(field)?.[1] ?? field;
    const id = `<${randomBytes(8).toString('hex')}@laptop.example>`;
    const envelope = { source: address(mail.from), recipients: [address(mail.to)], verdicts };
    return receive(rawMail(mail, id), envelope);
  }

  function send(body: string, response: ServerResponse): void {
    const parsed = SendEmail.safeParse(JSON.parse(body));
    if (!parsed.success) {
      response.writeHead(400, { 'x-amzn-errortype': 'BadRequestException' });
      return void response.end(JSON.stringify({ message: parsed.error.message }));
    }
    const id = `${randomBytes(12).toString('hex')}-000000`;
    sent.push(sentMail(id, parsed.data));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ MessageId: id }));
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const json = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value, undefined, 2));
    };
    try {
      const route = `${request.method} ${url.pathname}`;
      if (route === 'POST /v2/email/outbound-emails')
        send((await bodyOf(request)).toString('utf8'), response);
      else if (route === 'POST /mails') json(202, { id: await put(request, url) });
      else if (route === 'GET /mails') json(200, { sent });
      else json(404, { error: 'POST /mails puts a mail in; GET /mails lists those that were sent.' });
    } catch (error) {
      json(400, { error: error instanceof Error ? error.message : String(error) });
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    connect(received) {
      into = { ...received, sqs: new SQSClient({ ...local, endpoint: received.endpoints.sqs }) };
    },
    receive,
    async stop() {
      into?.sqs.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('a mail has 40 MB at most');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
