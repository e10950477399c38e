import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Acts, type RemoteDouble, remoteDouble } from './agent.ts';

/** An agent at an address of this machine. */
export interface RemoteServer extends Omit<RemoteDouble, 'internet'>, AsyncDisposable {
  readonly url: string;
}

export async function remoteServer(acts: Acts): Promise<RemoteServer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/travel`;
  const { internet, ...double } = remoteDouble(acts, { url });
  server.on('request', async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'GET' } = request;
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const body = method === 'GET' ? undefined : Buffer.concat(chunks);
    const answer = await internet(new Request(new URL(request.url ?? '/', url), { method, headers, body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  return {
    ...double,
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
