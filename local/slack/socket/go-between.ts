/**
 * Slack's Web API for a stack on this machine. It forwards calls to Slack, except for the one that completes an installation.
 * That one normally follows when Slack sends a person's browser back to a public address. Here the holder of the bot's token has
 * already installed the app, so the exchange is answered with that token.
 */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

export interface GoBetween {
  /** Base URL of the Web API, for `SLACK_API_URL`. */
  readonly apiUrl: string;
  /** The code that the installation presents, in place of the one that Slack would give the browser. */
  readonly code: string;
  /** Slack's display name of the workspace or organisation. */
  readonly where: string;
  stop(): Promise<void>;
}

/** Answer of `auth.test` (docs.slack.dev/reference/methods/auth.test). */
const Who = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(false), error: z.string() }),
  z.object({
    ok: z.literal(true),
    team: z.string(),
    team_id: z.string(),
    user_id: z.string(),
    enterprise_id: z.string().nullish(),
    is_enterprise_install: z.boolean().nullish(),
  }),
]);

/** Most bytes of an exchange and of a Web API call; their texts are far smaller. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Rejects with a sentence if Slack does not know the token. */
export async function openGoBetween(slackUrl: string, botToken: string): Promise<GoBetween> {
  const who = await whoIs(slackUrl, botToken);
  const code = randomBytes(24).toString('base64url');
  const { team_id, user_id, enterprise_id, is_enterprise_install = false } = who;
  const installed = {
    ok: true,
    access_token: botToken,
    token_type: 'bot',
    bot_user_id: user_id,
    team: is_enterprise_install ? null : { id: team_id },
    enterprise: enterprise_id ? { id: enterprise_id } : null,
    is_enterprise_install,
  };

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = /^\/api\/([A-Za-z0-9.]+)$/.exec(request.url ?? '')?.[1];
    if (method === undefined || request.method !== 'POST') return void response.writeHead(404).end();
    const body = await read(request);
    if (method === 'oauth.v2.access') {
      const { code: given } = Object.fromEntries(new URLSearchParams(body.toString()));
      return answer(response, given === code ? installed : { ok: false, error: 'invalid_code' });
    }
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const passed = await fetch(new URL(method, slackUrl), {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body,
      redirect: 'manual',
    });
    const later = passed.headers.get('retry-after');
    response.writeHead(passed.status, {
      'content-type': passed.headers.get('content-type') ?? 'application/json',
      ...(later && { 'retry-after': later }),
    });
    response.end(Buffer.from(await passed.arrayBuffer()));
  }

  const server = createServer((request, response) => {
    // To the caller this looks as if Slack were unreachable, which it handles.
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    code,
    where: who.team,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function whoIs(slackUrl: string, botToken: string) {
  const response = await fetch(new URL('auth.test', slackUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${botToken}` },
  }).catch((error: Error) => {
    throw new Error(`Slack cannot be reached: ${error.message}.`);
  });
  const who = Who.safeParse(await response.json().catch(() => undefined));
  if (!who.success) throw new Error(`Slack did not identify SLACK_BOT_TOKEN (HTTP ${response.status}).`);
  if (!who.data.ok)
    throw new Error(
      `Slack refuses SLACK_BOT_TOKEN (${who.data.error}): copy it again (https://api.slack.com/apps, Install App).`,
    );
  return who.data;
}

async function read(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MAX_BYTES) throw new Error('too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const answer = (response: ServerResponse, body: object): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
