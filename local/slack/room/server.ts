/**
 * The page of the emulated Slack: a person writes in the channel, reads the threads, and presses the buttons. Only this machine
 * can reach it.
 */

import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { EmulatedSlack } from '../emulated/emulated-slack.ts';
import { errorsOf, formOf } from './form.ts';
import { RATE, type ShownRoom, shownOf } from './shown.ts';

export interface SlackRoom {
  /** Address of the page. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Most bytes of a request from the page. */
const MAX_BODY = 64_000;

const Written = z.strictObject({ text: z.string().trim().min(1).max(12_000), thread: z.string().optional() });
const Clicked = z.strictObject({
  ts: z.string(),
  thread: z.string(),
  action: z.string(),
  chosen: z.array(z.string()).max(100).default([]),
});

const Submitted = z.strictObject({
  entered: z.record(z.string(), z.union([z.string().max(12_000), z.array(z.string()).max(100)])),
});

const files: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/room.js': ['room.js', 'text/javascript; charset=utf-8'],
  '/room.css': ['room.css', 'text/css; charset=utf-8'],
};

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** An error that the page shows. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Serves the page on loopback.
 *
 * @param user the user of the page: a name in the workspace
 */
export async function openRoom(slack: EmulatedSlack, user: string, port = 0): Promise<SlackRoom> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const status = error instanceof Refused ? error.status : 500;
      const message = error instanceof Error ? error.message : String(error);
      response.writeHead(status, { ...headers, 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: message }));
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Other pages can send requests here, also under a name of their own that resolves to this address.
    const origin = urlOf(server);
    if (request.headers.host !== new URL(origin).host) throw new Refused(421, `This is ${origin}`);
    const path = request.url ?? '/';
    if (request.method === 'GET') {
      if (path === '/api/room') return json(response, await room());
      const [file, type] = files[path] ?? [];
      if (!file || !type) throw new Refused(404, 'There is no such page');
      response.writeHead(200, { ...headers, 'content-type': type });
      response.end(await readFile(fileURLToPath(new URL(file, import.meta.url))));
      return;
    }
    if (request.method !== 'POST') throw new Refused(405, 'GET and POST alone');
    if (request.headers.origin !== origin) throw new Refused(403, 'Only its own page may send here');
    const body = await bodyOf(request);
    if (path === '/api/messages') return json(response, await write(parsed(Written, body)));
    if (path === '/api/forms') return json(response, await submit(parsed(Submitted, body)));
    if (path === '/api/forms/close') return json(response, close());
    if (path === '/api/clicks') return json(response, await click(parsed(Clicked, body)));
    throw new Refused(404, 'There is no such address');
  }

  async function room(): Promise<ShownRoom> {
    const top = await slack.read(slack.channel);
    const threads = top.map(({ ts, reply_count: replies = 0 }) =>
      replies > 0 ? slack.read(slack.channel, ts) : undefined,
    );
    const modal = slack.modal(user);
    const shown = shownOf(slack, user, top, await Promise.all(threads));
    return { ...shown, ...(modal && { form: formOf(modal) }) };
  }

  /** Nothing is left to do if there are no errors: the form is closed, or shows something else. */
  async function submit({ entered }: z.infer<typeof Submitted>) {
    const modal = slack.modal(user);
    if (!modal?.submit) throw new Refused(404, 'That form is not there any more');
    const answer = await slack.submit(user, entered);
    taken([answer.status]);
    return { errors: errorsOf(modal, answer) };
  }

  function close() {
    slack.dismiss(user);
    return {};
  }

  /** At the top level, a message without a mention is sent to the bot, because people who try it need not know its name. */
  async function write({ text, thread }: z.infer<typeof Written>) {
    const mention = `<@${slack.botUser}>`;
    const { statuses } = await slack.say(user, text.includes(mention) ? text : `${mention} ${text}`, thread);
    return taken(statuses);
  }

  async function click({ ts, thread, action, chosen }: z.infer<typeof Clicked>) {
    const message = (await slack.read(slack.channel, thread)).find((one) => one.ts === ts);
    if (!message) throw new Refused(404, 'That message is not there any more');
    if (action === RATE.positive) return taken([await slack.rate(user, message, slack.channel, 'positive')]);
    if (action === RATE.negative) return taken([await slack.rate(user, message, slack.channel, 'negative')]);
    return taken([await slack.click(user, message, slack.channel, action, chosen)]);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: urlOf(server),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @throws Refused if the app did not accept Slack's event */
function taken(statuses: readonly number[]) {
  const refused = statuses.find((status) => status >= 300);
  if (refused !== undefined) throw new Refused(502, `The app has answered ${refused} to Slack`);
  return {};
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { ...headers, 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const read = schema.safeParse(body);
  if (!read.success) throw new Refused(422, z.prettifyError(read.error));
  return read.data;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Refused(413, `At most ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Refused(400, 'That is no JSON');
  }
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
