/** The requests over a WebSocket end with the credential that opened it. */

import { describe, expect, test } from 'vitest';
import { answerSocket } from '../../../functions/routes/socket-actions.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { openSession } from '../../../shared/agent/entrypoints/accept.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import type { ApiKeys } from '../../../shared/edge/api-keys.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';
import { memoryEdge } from '../../support/memory-edge.ts';

const agent = defineAgent({ name: 'helper', version: '1', model: { name: 'm' }, system: 'Help.' });
const key = { tenant: 'acme', sessionId: 's1' };

/** One open connection of this caller, whose credential expires in a minute. */
async function connected(as: (io: MemoryWorld, keys: ApiKeys) => Promise<Identity>) {
  const io = memoryWorld();
  const edge = memoryEdge(io);
  await openSession(key, agent, async () => undefined, io);
  await edge.connections.open('c1', await as(io, edge.keys));
  const told = (): { type?: string; problem?: { status: number; title: string; detail?: string } }[] =>
    io.sockets.sent.map(({ data }) => JSON.parse(data));
  return {
    io,
    told,
    keys: edge.keys,
    send: (request: object) =>
      answerSocket(
        { connectionId: 'c1', requestId: 'r1', body: JSON.stringify(request), msLeft: 10_000 },
        { io, ...edge, agents: [agent] },
      ),
    subscribers: async () => (await io.sessions.watch(key))?.subscribers,
  };
}

const ada = async ({ clock }: MemoryWorld): Promise<Identity> => ({
  tenant: 'acme',
  subject: 'user:ada',
  kind: 'jwt',
  roles: ['steploop-operator'],
  expiresAt: clock.now() + 60_000,
});

const requests: [string, object][] = [
  ['subscribe', { action: 'subscribe', sessionId: 's1' }],
  ['unsubscribe', { action: 'unsubscribe', sessionId: 's1' }],
  ['cancel', { action: 'cancel', sessionId: 's1' }],
  ['decide', { action: 'decide', sessionId: 's1', id: 'w1', approved: true }],
  ['ping', { action: 'ping' }],
];

describe('an expired JWT', () => {
  test.each(requests)(
    'does not %s, and its connection follows no session any more',
    async (_name, request) => {
      const it = await connected(ada);
      await it.send({ action: 'subscribe', sessionId: 's1' });
      expect(it.told().at(-1)).toEqual({ type: 'subscribed', sessionId: 's1' });
      expect(await it.subscribers()).toEqual(['c1']);
      await it.io.clock.advance(59_999);
      await it.send({ action: 'ping' });
      expect(it.told().at(-1)).toEqual({ type: 'pong' });
      await it.io.clock.advance(1);
      await it.send(request);
      expect(it.told().at(-1)).toMatchObject({
        type: 'error',
        problem: { status: 401, title: 'Credential expired', detail: expect.stringMatching(/Connect again/) },
      });
      expect(await it.subscribers()).toEqual([]);
      await it.send(request);
      expect(it.told().at(-1)).toMatchObject({ problem: { status: 401, title: 'Not connected' } });
    },
  );
});

test('a revoked key is told so at its next request, and its connection follows no session any more', async () => {
  let keyId = '';
  const it = await connected(async (io, keys) => {
    const { key: minted, text } = await keys.mint(await ada(io), 'ci');
    keyId = minted.keyId;
    return (await keys.verify(text)) ?? ada(io);
  });
  await it.send({ action: 'subscribe', sessionId: 's1' });
  await it.keys.revoke('acme', keyId);
  await it.send({ action: 'ping' });
  expect(it.told().at(-1)).toMatchObject({ type: 'error', problem: { status: 401 } });
  expect(await it.subscribers()).toEqual([]);
});
