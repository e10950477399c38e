/** Connects a real Slack workspace to a deployment on this machine, over Socket Mode, without a public address. */

import { randomBytes } from 'node:crypto';
import { signatureOf } from '../../../shared/slack/signature.ts';
import type { Site, SiteOptions } from '../../site.ts';
import { installSlack } from '../installed.ts';
import { type Connection, openConnection } from './connection.ts';
import { openGoBetween } from './go-between.ts';
import { type Envelope, requestOf } from './requests.ts';
import type { SocketTokens } from './tokens.ts';

/** Base URL of Slack's Web API. */
const SLACK = 'https://slack.com/api/';
/** A placeholder: the Slack functions do not need the app's id, because no browser is sent to Slack. */
const clientId = 'socket-mode';

export interface SocketSlackOptions {
  readonly tokens: SocketTokens;
  /** Receives sentences for people. */
  readonly say: (text: string) => void;
  /** Base URL of the Web API, if it is not Slack's own. */
  readonly slackUrl?: string;
}

export interface SocketSlack {
  /** The Slack options to start the stack with. */
  readonly of: NonNullable<SiteOptions['slack']>;
  /** Slack's display name of the workspace or organisation. */
  readonly where: string;
  /**
   * Installs the app into a started deployment, and connects Slack to it. Call it again after a restart. Rejects with a sentence
   * if Slack refuses.
   */
  connect(site: Site): Promise<void>;
  stop(): Promise<void>;
}

/** Asks Slack which bot the token belongs to. Rejects with a sentence if the bot is not available. */
export async function openSocketSlack({
  tokens,
  say,
  slackUrl = SLACK,
}: SocketSlackOptions): Promise<SocketSlack> {
  const between = await openGoBetween(slackUrl, tokens.bot);
  const app = {
    signingSecret: randomBytes(32).toString('hex'),
    clientSecret: randomBytes(32).toString('hex'),
  };
  let site: Site | undefined;
  let connection: Connection | undefined;

  /** Passes it to the routes that Slack would have called, with Slack's signature. */
  async function take(envelope: Envelope): Promise<object | undefined> {
    const { path, type, body } = requestOf(envelope);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const response = await fetch(`${site?.addresses.HttpUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': type,
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signatureOf(body, timestamp, app.signingSecret),
      },
      body,
    });
    const answered = await response.text();
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return envelope.accepts_response_payload && answered !== '' ? JSON.parse(answered) : undefined;
  }

  return {
    of: { apiUrl: between.apiUrl, clientId },
    where: between.where,
    async connect(started) {
      await installSlack(started, app, (installUrl) => comeBack(installUrl, between.code));
      site = started;
      connection ??= await openConnection({ appToken: tokens.app, apiUrl: slackUrl, take, say });
    },
    async stop() {
      await connection?.stop();
      await between.stop();
    },
  };
}

/** The installation without Slack's consent page: calls its end as Slack has the browser call it. */
async function comeBack(installUrl: string, code: string): Promise<{ status: number; text: string }> {
  const begun = await fetch(installUrl, { redirect: 'manual' });
  const asked = new URL(begun.headers.get('location') ?? 'about:blank');
  const back = new URL(asked.searchParams.get('redirect_uri') ?? installUrl);
  back.search = new URLSearchParams({ code, state: asked.searchParams.get('state') ?? '' }).toString();
  const cookies = begun.headers.getSetCookie().map((one) => one.split(';')[0]);
  const response = await fetch(back, { headers: { cookie: cookies.join('; ') }, redirect: 'manual' });
  return { status: response.status, text: await response.text() };
}
