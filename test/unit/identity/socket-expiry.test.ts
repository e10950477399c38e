/** What is done over a WebSocket ends with the credential that opened it. */

import { describe, expect, test } from 'vitest';
import { answerSocket, type SocketContext } from '../../../functions/routes/socket-actions.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { openSession } from '../../../shared/agent/doors/accept.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import type { SessionKey } from '../../../shared/contract/session.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';

const agent = defineAgent({ name: 'helper', version: '1', model: { name: 'm' }, system: 'Help.' });
const key = { tenant: 'acme', sessionId: 's1' };

/** One open connection of this caller, who has a minute left. */
async function connected(caller: Partial<Identity> = {}) {
  const io = memoryWorld();
  const told: { type?: string; problem?: { status: number; title: string; detail?: string } }[] = [];
  io.sockets.post = async (_id: string, data: string) => {
    told.push(JSON.parse(data));
    return 'sent' as const;
  };
  await openSession(key, agent, async () => undefined, io);
  const expiresAt = io.clock.now() + 60_000;
  let identity: Identity | undefined = {
    tenant: 'acme',
    subject: 'user:ada',
    kind: 'jwt',
    expiresAt,
    ...caller,
  };
  let followed: SessionKey[] = [];
  let live = true;
  const connections: Partial<SocketContext['connections']> = {
    callerOf: async () => identity,
    remember: async (_id, session) => {
      followed.push(session);
      return 'remembered';
    },
    close: async () => {
      identity = undefined;
      const sessions = followed;
      followed = [];
      return sessions;
    },
  };
  const context = {
    io,
    connections,
    keys: { isLive: async () => live },
    agents: [agent],
  } as unknown as SocketContext;
  return {
    io,
    told,
    revoke: () => {
      live = false;
    },
    send: (request: object) =>
      answerSocket(
        { connectionId: 'c1', requestId: 'r1', body: JSON.stringify(request), msLeft: 10_000 },
        context,
      ),
    subscribers: async () => (await io.sessions.watch(key))?.subscribers,
  };
}

const requests: [string, object][] = [
  ['subscribe', { action: 'subscribe', sessionId: 's1' }],
  ['unsubscribe', { action: 'unsubscribe', sessionId: 's1' }],
  ['cancel', { action: 'cancel', sessionId: 's1' }],
  ['decide', { action: 'decide', sessionId: 's1', id: 'w1', approved: true }],
  ['ping', { action: 'ping' }],
];

describe('an expired JWT', () => {
  test.each(requests)('does not %s, and its connection follows nothing any more', async (_name, request) => {
    const it = await connected();
    await it.send({ action: 'subscribe', sessionId: 's1' });
    expect(it.told.at(-1)).toEqual({ type: 'subscribed', sessionId: 's1' });
    expect(await it.subscribers()).toEqual(['c1']);
    await it.io.clock.advance(59_999);
    await it.send({ action: 'ping' });
    expect(it.told.at(-1)).toEqual({ type: 'pong' });
    await it.io.clock.advance(1);
    await it.send(request);
    expect(it.told.at(-1)).toMatchObject({
      type: 'error',
      problem: { status: 401, title: 'Credential expired', detail: expect.stringMatching(/Connect again/) },
    });
    expect(await it.subscribers()).toEqual([]);
    await it.send(request);
    expect(it.told.at(-1)).toMatchObject({ problem: { status: 401, title: 'Not connected' } });
  });
});

test('a revoked key is told so at its next request, and follows nothing any more', async () => {
  const it = await connected({ kind: 'key', subject: 'key:acme.0', expiresAt: undefined });
  await it.send({ action: 'subscribe', sessionId: 's1' });
  it.revoke();
  await it.send({ action: 'ping' });
  expect(it.told.at(-1)).toMatchObject({ type: 'error', problem: { status: 401 } });
  expect(await it.subscribers()).toEqual([]);
});
