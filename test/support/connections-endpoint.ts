import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An `@connections` endpoint with scripted answers. */
export interface ConnectionsEndpoint {
  /** As a WebSocket URL with its stage. */
  readonly url: string;
  /** All posts received, in order. */
  readonly posts: readonly { readonly connectionId: string; readonly data: string }[];
  answerWith(connectionId: string, answer: (response: ServerResponse) => void): void;
  stop(): Promise<void>;
}

/** Starts one that accepts every post until a test says otherwise. */
export async function startConnectionsEndpoint(): Promise<ConnectionsEndpoint> {
  const posts: { connectionId: string; data: string }[] = [];
  const answers = new Map<string, (response: ServerResponse) => void>();
  const server = createServer(async (request, response) => {
    const connectionId = decodeURIComponent(request.url?.replace('/live/@connections/', '') ?? '');
    posts.push({ connectionId, data: await text(request) });
    const answer = answers.get(connectionId);
    if (answer) answer(response);
    else response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/live`,
    posts,
    answerWith: (connectionId, answer) => void answers.set(connectionId, answer),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An answer in the form of the service's errors. */
export const refuseWith = (status: number, type: string) => (response: ServerResponse) =>
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type })
    .end(JSON.stringify({ message: type }));
