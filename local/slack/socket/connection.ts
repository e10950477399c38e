/** A Socket Mode connection that is reopened whenever it ends. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Logger, SocketModeClient } from '@slack/socket-mode';
import * as z from 'zod';
import { Envelope } from './requests.ts';

export interface ConnectionOptions {
  readonly appToken: string;
  /** Base URL of Slack's Web API. */
  readonly apiUrl: string;
  /** Handles an envelope; the result is sent with its acknowledgement. Rejects so that Slack sends it again. */
  readonly take: (envelope: Envelope) => Promise<object | undefined>;
  /** Receives sentences about the connection, for people. */
  readonly say: (text: string) => void;
  /** Time in ms before the first retry of several to reopen it; each further one waits twice as long, at most 30 s. */
  readonly pauseMs?: number;
}

export interface Connection {
  stop(): Promise<void>;
}

/** Remembered envelopes, so that an envelope which Slack repeats is acknowledged again but handled once. */
const REMEMBERED = 1_000;
const MOST_PAUSE_MS = 30_000;
/** How long to wait for Slack at the end, in ms: it leaves the connection open after its goodbye (node-slack-sdk#2752). */
const GOODBYE_MS = 1_000;

/**
 * Opens the connection, and resolves after Slack's hello. Rejects with a sentence if Slack refuses. When it ends later it is
 * reopened: Slack requests that every few hours (`disconnect`), and networks fail too.
 *
 * The library's own reconnecting is off: it waits 5 s first, and a refusal in it is an uncatchable rejection (its 3.1;
 * `delayReconnectAttempt`).
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { say, pauseMs = 1_000 } = options;
  const take = once(options.take);
  const stopped = new AbortController();
  let current = await connect(options, take).catch((error: unknown) => {
    throw new Error(sentenceOf(error));
  });

  async function keepOpen(): Promise<void> {
    while (!stopped.signal.aborted) {
      await current.ended;
      for (let wait = 0; !stopped.signal.aborted; wait = Math.min(MOST_PAUSE_MS, wait * 2 || pauseMs)) {
        await pause(wait, undefined, { signal: stopped.signal });
        const next = await connect(options, take).catch((error: unknown) => {
          if (wait === 0) say(`${sentenceOf(error)} It will be retried.`);
        });
        if (!next) continue;
        if (wait > 0) say('Slack is connected again.');
        current = next;
        break;
      }
    }
  }
  const kept = keepOpen().catch((error: unknown) => {
    if (!stopped.signal.aborted) say(`Slack is disconnected: ${sentenceOf(error)}`);
  });

  return {
    async stop() {
      stopped.abort();
      await Promise.race([current.client.disconnect(), pause(GOODBYE_MS)]);
      await Promise.race([kept, pause(GOODBYE_MS)]);
    },
  };
}

interface Open {
  readonly client: SocketModeClient;
  readonly ended: Promise<void>;
}

async function connect({ appToken, apiUrl }: ConnectionOptions, take: Take): Promise<Open> {
  const { SocketModeClient } = await import('@slack/socket-mode');
  const client = new SocketModeClient({
    appToken,
    autoReconnectEnabled: false,
    logger: silent,
    clientOptions: { slackApiUrl: apiUrl, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
  });
  const ended = new Promise<void>((resolve) => void client.once('disconnected', () => resolve()));
  client.on('slack_event', (sent: { ack: (answer?: object) => Promise<void> }) => {
    const envelope = Envelope.safeParse(sent);
    if (!envelope.success) return;
    // Without an acknowledgement Slack sends the envelope again, over the next connection if this one is gone.
    void take(envelope.data)
      .then((answer) => sent.ack(answer))
      .catch(() => undefined);
  });
  await client.start();
  return { client, ended };
}

type Take = ConnectionOptions['take'];

/** Handles each envelope once. A failed one may come again. */
function once(take: Take): Take {
  const taken = new Map<string, ReturnType<Take>>();
  return (envelope) => {
    const { envelope_id: id } = envelope;
    const known = taken.get(id);
    if (known) return known;
    const answer = take(envelope);
    taken.set(id, answer);
    answer.catch(() => taken.delete(id));
    const [oldest] = taken.keys();
    if (taken.size > REMEMBERED && oldest !== undefined) taken.delete(oldest);
    return answer;
  };
}

/** The library's log contains the texts of messages, and each of its errors is reported by the code that receives it. */
const silent = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => 'error',
} as unknown as Logger;

const Refused = z.object({ data: z.object({ error: z.string() }) });

/** Errors of `apps.connections.open`, and of all methods: docs.slack.dev/reference/methods/apps.connections.open. */
function sentenceOf(error: unknown): string {
  const refused = Refused.safeParse(error);
  switch (refused.data?.data.error) {
    case undefined:
      return `Slack cannot be reached${error instanceof Error ? `: ${error.message}.` : '.'}`;
    case 'invalid_auth':
    case 'not_authed':
    case 'token_revoked':
    case 'account_inactive':
      return 'Slack does not know SLACK_APP_TOKEN, or revoked it: make a new one (Basic Information, App-Level Tokens).';
    case 'missing_scope':
    case 'no_permission':
      return 'SLACK_APP_TOKEN lacks the scope connections:write: make a new one with it (Basic Information, App-Level Tokens).';
    case 'not_allowed_token_type':
      return 'SLACK_APP_TOKEN is another kind of token: an app-level one is needed, xapp-….';
    default:
      return `Slack refuses a Socket Mode connection (${refused.data?.data.error}): is Socket Mode on in the app’s settings?`;
  }
}
