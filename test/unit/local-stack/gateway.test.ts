import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { SOCKET_LIMITS, type SocketLimits } from '../../../local/stack/gateway/connection.ts';
import { frameGuard } from '../../../local/stack/gateway/frame-guard.ts';
import { type SocketApi, startSocketApi } from '../../../local/stack/gateway/socket-api.ts';
import { signedFetch } from '../../support/signed.ts';

describe('frame guard', () => {
  const frame = (length: number, masked: boolean): Buffer => {
    const extension = length > 65_535 ? 8 : length > 125 ? 2 : 0;
    const header = Buffer.alloc(2 + extension);
    header[0] = 0x81;
    header[1] = (masked ? 0x80 : 0) | (extension === 8 ? 127 : extension === 2 ? 126 : length);
    if (extension === 2) header.writeUInt16BE(length, 2);
    if (extension === 8) header.writeBigUInt64BE(BigInt(length), 2);
    return Buffer.concat([header, Buffer.alloc((masked ? 4 : 0) + length, 0xff)]);
  };

  test.each([1, 7, 1000, 1_000_000])('counts only frames over the limit, fed %d bytes at a time', (step) => {
    let oversized = 0;
    const feed = frameGuard(300, () => oversized++);
    const bytes = Buffer.concat([
      frame(5, true),
      frame(300, true),
      frame(301, true),
      frame(0, false),
      frame(70_000, true),
      frame(300, false),
    ]);
    for (let at = 0; at < bytes.length; at += step) feed(bytes.subarray(at, at + step));
    expect(oversized).toBe(2);
  });
});

describe('connections', () => {
  let api: SocketApi;
  afterEach(() => api.stop());

  const connect = async (limits: Partial<SocketLimits>): Promise<WebSocket> => {
    api = await startSocketApi({
      id: 'api',
      port: 0,
      routeSelection: '$request.body.action',
      wire: undefined,
      limits: { ...SOCKET_LIMITS, ...limits },
    });
    api.stages.add('live');
    api.opened = true;
    const socket = new WebSocket(`ws://127.0.0.1:${api.port}/live`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return socket;
  };

  test.each([{ idle: 50 }, { lifetime: 50 }])('end with 1001 after %j ms', async (limits) => {
    const socket = await connect(limits);
    expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(1001);
  });

  test('a client that does not read makes posts fail with LimitExceededException', async () => {
    const socket = await connect({ unsent: 0 });
    const told = new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
    socket.send('which connection am I?');
    const { connectionId, message } = JSON.parse(await told) as { connectionId: string; message: string };
    expect(message).toBe('Forbidden');
    socket.pause();
    const url = `http://127.0.0.1:${api.port}/live/@connections/${encodeURIComponent(connectionId)}`;
    const post = (): Promise<Response> =>
      signedFetch('execute-api', url, { method: 'POST', body: 'x'.repeat(128 * 1024) });
    let refused: Response | undefined;
    for (let tries = 0; tries < 500 && !refused; tries++) {
      const response = await post();
      if (response.status !== 200) refused = response;
    }
    expect([refused?.status, refused?.headers.get('x-amzn-errortype')]).toEqual([
      429,
      'LimitExceededException',
    ]);
    socket.terminate();
  });

  test('other paths and stages are refused', async () => {
    const socket = await connect({});
    const refused = new WebSocket(`ws://127.0.0.1:${api.port}/other`);
    const error = await new Promise<Error>((resolve) => refused.once('error', resolve));
    expect(error.message).toContain('403');
    expect((await fetch(`http://127.0.0.1:${api.port}/`)).status).toBe(403);
    const unknown = `http://127.0.0.1:${api.port}/live/@connections/unknown`;
    const gone = await signedFetch('execute-api', unknown);
    expect(gone.headers.get('x-amzn-errortype')).toBe('GoneException');
    const unsigned = await fetch(unknown);
    expect(unsigned.headers.get('x-amzn-errortype')).toBe('MissingAuthenticationTokenException');
    socket.terminate();
  });
});
