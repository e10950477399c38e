/** The front door of the emulated Slack: it forwards calls to the emulator, unless it answers them itself. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SlackMessage } from './caller.ts';
import type { Shown } from './shown.ts';
import { tellsOfThreads, withThreads } from './threads.ts';
import { answerTo } from './web-api.ts';
import type { Workspace } from './workspace.ts';

interface Door {
  readonly url: string;
  /** Calls are answered from now on. */
  open(workspace: Workspace): void;
  stop(): Promise<void>;
}

/** @param streams whether the streaming methods exist */
export async function openDoor(shown: Shown, streams: boolean): Promise<Door> {
  let workspace: Workspace | undefined;
  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  /** A call to the door. It goes to the emulator unless the door implements it. */
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!workspace) throw new Error('the emulated Slack has not started yet');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const method = /^\/api\/([\w.]+)/.exec(request.url ?? '')?.[1] ?? '';
    const limit = shown.limits.get(method);
    if (limit && limit.times-- > 0)
      return void response.writeHead(429, { 'retry-after': String(limit.seconds) }).end('{"ok":false}');
    const authorization = request.headers.authorization ?? '';
    const { searchParams } = new URL(request.url ?? '/', workspace.url);
    const args = Object.fromEntries([...searchParams, ...new URLSearchParams(body.toString())]);
    const answer = method && (await answerTo({ method, args, authorization }, workspace, shown, streams));
    if (answer)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    const passed = await fetch(workspace.url + request.url, {
      method: request.method,
      headers: { authorization, 'content-type': request.headers['content-type'] ?? '' },
      ...(body.length > 0 && { body }),
      redirect: 'manual',
    });
    const headers = [...passed.headers].filter(
      ([name]) => !/^(content-length|content-encoding|transfer-encoding)$/.test(name),
    );
    const answered = Buffer.from(await passed.arrayBuffer());
    response
      // As Slack does for each call with a token; its SDK reads it too (`response_metadata.scopes`).
      .writeHead(passed.status, { ...Object.fromEntries(headers), 'x-oauth-scopes': shown.scopes.join(',') })
      .end(tellsOfThreads(method) ? told(answered) : answered);
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open(behind) {
      workspace = behind;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An answer with messages, in Slack's form. */
function told(answered: Buffer): string {
  const answer = JSON.parse(answered.toString()) as { messages?: SlackMessage[] };
  return JSON.stringify(answer.messages ? { ...answer, messages: withThreads(answer.messages) } : answer);
}
