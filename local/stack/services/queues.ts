import { existsSync } from 'node:fs';
import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FauxqsServer } from 'fauxqs';
import type { Access } from '../iam/access.ts';
import { standBefore } from '../iam/door.ts';
import { refusePages } from '../iam/pages.ts';
import { refuseJson, refuseXml } from '../iam/refusals.ts';
import { wantedOfQueuesAndBuckets } from '../iam/wanted.ts';
import { LOOPBACK } from '../listen.ts';
import { teachFairness } from './fair-queues.ts';
import { acceptCharacters } from './message-characters.ts';
import { type CorsRule, isSignedLink, standBeforeLinks } from './presigned.ts';
import { overLimit } from './queue-limits.ts';

/** A running SQS and S3 (one server speaks both). */
export interface LocalQueues {
  endpoint: string;
  /** Creates a bucket unless it exists; pages of other origins may use its links as the rules say. */
  createBucket(name: string, cors?: readonly CorsRule[]): void;
  stop(): Promise<void>;
}

/**
 * SQS and S3 on fauxqs, in this process; SQLite in `dataDir` if given, callers restricted to `access` if given. Its queues are
 * fair (`fair-queues.ts`).
 */
export async function startQueues(dataDir: string | undefined, access?: Access): Promise<LocalQueues> {
  await Promise.all([teachFairness(), acceptCharacters()]);
  const { startFauxqs } = await import('fauxqs');
  if (dataDir !== undefined) showReceivedMessages(join(dataDir, 'fauxqs.db'));
  const corsOf = new Map<string, readonly CorsRule[]>();
  const server = await onLoopback(
    () => startFauxqs({ port: 0, logger: false, ...(dataDir === undefined ? {} : { dataDir }) }),
    (http) => {
      // S3 has no target.
      const refuse = (target: string) => (target === '' ? refuseXml : refuseJson);
      standBefore(http, {
        access,
        wantedBy: wantedOfQueuesAndBuckets,
        serviceOf: (target) => (target === '' ? 's3' : 'sqs'),
        refuse,
        overLimit,
        isOpen: isSignedLink,
      });
      standBeforeLinks(http, (bucket) => corsOf.get(bucket) ?? []);
      refusePages(http, refuse, isSignedLink);
    },
  );
  return {
    endpoint: `http://${LOOPBACK}:${server.port}`,
    createBucket(name, cors = []) {
      server.createBucket(name);
      corsOf.set(name, cors);
    },
    stop: () => server.stop(),
  };
}

/**
 * Makes messages visible that were received before this start. Their receivers ended with their process, so waiting for the
 * visibility timeout (minutes, for the step queue and the tool queue) would be in vain. They still count as received, so a
 * message that takes everything down becomes a dead letter. fauxqs has this only in its file, which no other process has open
 * now.
 */
function showReceivedMessages(file: string): void {
  if (!existsSync(file)) return;
  const db = new DatabaseSync(file);
  try {
    db.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
  } finally {
    db.close();
  }
}

/**
 * fauxqs always binds 0.0.0.0, which would offer unauthenticated queues to the whole network, and has no option for it. While it
 * starts, a listen on every interface becomes a listen on the loopback one.
 *
 * @param before intercepts its server
 */
async function onLoopback(
  start: () => Promise<FauxqsServer>,
  before: (server: HttpServer) => void,
): Promise<FauxqsServer> {
  const original = Server.prototype.listen;
  const narrowed = function (this: Server, ...args: unknown[]): Server {
    const [first] = args;
    if (typeof first === 'object' && first !== null && 'host' in first && first.host === '0.0.0.0') {
      first.host = LOOPBACK;
      this.prependListener('request', acceptQueueUrl);
      before(this as HttpServer);
    }
    return Reflect.apply(original, this, args);
  };
  Server.prototype.listen = narrowed as typeof original;
  try {
    return await start();
  } finally {
    Server.prototype.listen = original;
  }
}

/** SQS accepts requests at a queue's own URL too, as some clients send them; fauxqs would read that as a bucket. */
function acceptQueueUrl(request: IncomingMessage): void {
  if (String(request.headers['x-amz-target']).startsWith('AmazonSQS.')) request.url = '/';
}
