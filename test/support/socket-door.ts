import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/**
 * Slack's end of Socket Mode, following docs.slack.dev/apis/events-api/using-socket-mode. HTTP requests of an emulated
 * Slack to the app go out as envelopes and are answered with their acknowledgement. Web API calls are passed on.
 */
export interface SocketDoor extends AsyncDisposable {
  /** The app's address, as the emulated Slack knows it. */
  readonly appUrl: string;
  /** Base URL of the Web API. */
  readonly apiUrl: string;
  /** Number of connections opened so far. */
  opened(): number;
  /** The acknowledgements, in order. */
  readonly acks: readonly Ack[];
  /** Envelopes that were sent, in order. */
  readonly sent: readonly object[];
  /** Sends an envelope once there is a connection. Resolves with its acknowledgement. */
  send(envelope: object): Promise<Ack>;
  /** Asks the app to open another connection. */
  refresh(): void;
  /** Breaks the network connection. */
  drop(): void;
  /** Refuses the next `times` calls of `apps.connections.open`. */
  refuse(error: string, times: number): void;
}

export interface Ack {
  readonly envelope_id: string;
  readonly payload?: object;
}

export const APP_TOKEN = 'xapp-1-A0STEPLOOP-1234-abcd';

const types: Readonly<Record<string, string>> = {
  '/slack/events': 'events_api',
  '/slack/interactions': 'interactive',
  '/slack/commands': 'slash_commands',
};

/** @param behind base URL of the Web API for all other calls */
export async function socketDoor(behind = ''): Promise<SocketDoor> {
  const acks: Ack[] = [];
  const sent: object[] = [];
  const waiting = new Map<string, (ack: Ack) => void>();
  let live: WebSocket | undefined;
  let arrived = Promise.withResolvers<WebSocket>();
  let opened = 0;
  let refusal = { error: '', times: 0 };

  async function send(envelope: { envelope_id: string }): Promise<Ack> {
    const acked = new Promise<Ack>((resolve) => waiting.set(envelope.envelope_id, resolve));
    sent.push(envelope);
    const socket = live ?? (await arrived.promise);
    socket.send(JSON.stringify(envelope));
    return acked;
  }

  const server = createServer(async (request, response) => {
    const body = await read(request);
    const json = (answer: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    const type = types[request.url ?? ''];
    if (type) {
      const fields = Object.fromEntries(new URLSearchParams(body.toString()));
      const payload =
        type === 'events_api'
          ? JSON.parse(body.toString())
          : type === 'interactive'
            ? JSON.parse(fields.payload ?? '')
            : fields;
      const ack = await send({
        ...{ envelope_id: randomUUID(), type, payload },
        ...{ accepts_response_payload: type !== 'events_api' },
      } as { envelope_id: string });
      return json(ack.payload ?? {});
    }
    if (request.url === '/api/apps.connections.open') {
      if (refusal.times-- > 0) return json({ ok: false, error: refusal.error });
      if (request.headers.authorization !== `Bearer ${APP_TOKEN}`)
        return json({ ok: false, error: 'invalid_auth' });
      const { port } = server.address() as AddressInfo;
      return json({ ok: true, url: `ws://127.0.0.1:${port}/link/?ticket=${randomUUID()}` });
    }
    const { authorization = '', 'content-type': contentType = '' } = request.headers;
    const passed = await fetch(new URL(request.url?.replace('/api/', '') ?? '', behind), {
      method: 'POST',
      headers: { authorization, 'content-type': contentType },
      body,
    });
    response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    opened += 1;
    socket.on('message', (data) => {
      const ack = JSON.parse(String(data)) as Ack;
      acks.push(ack);
      waiting.get(ack.envelope_id)?.(ack);
    });
    socket.on('close', () => {
      if (live !== socket) return;
      live = undefined;
      arrived = Promise.withResolvers();
    });
    live = socket;
    socket.send(
      JSON.stringify({ type: 'hello', num_connections: 1, connection_info: { app_id: 'A0STEPLOOP' } }),
    );
    arrived.resolve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    appUrl: url,
    apiUrl: `${url}/api/`,
    opened: () => opened,
    acks,
    sent,
    send: (envelope) => send(envelope as { envelope_id: string }),
    refresh: () => live?.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' })),
    drop: () => live?.terminate(),
    refuse(error, times) {
      refusal = { error, times };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
