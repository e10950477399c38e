import { beforeEach, describe, expect, test, vi } from 'vitest';
import { answerSocket, type SocketContext } from '../../../functions/routes/socket-actions.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { MAX_SUBSCRIBERS } from '../../../shared/agent/ports/sessions.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';
import { memoryEdge } from '../../support/memory-edge.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: ['steploop-operator'] };
const key = { tenant: 'acme', sessionId: 's1' };
const agent = defineAgent({ name: 'worker', version: '1', model: { name: 'm' }, system: 's', tools: [] });

let world: MemoryWorld;
let context: SocketContext;
/** API Gateway reports a connection or its end. */
const open = (id: string) => context.connections.open(id, ada);
const close = (id: string) => context.connections.close(id);
beforeEach(async () => {
  world = memoryWorld();
  context = { io: world, ...memoryEdge(world), agents: [agent] };
  await openSession(key, agent, async () => undefined, world);
});

const subscribe = (id: string) =>
  answerSocket(
    {
      connectionId: id,
      requestId: 'r1',
      body: JSON.stringify({ action: 'subscribe', sessionId: 's1' }),
      msLeft: 10_000,
    },
    context,
  );
const subscribers = async () => (await world.sessions.watch(key))?.subscribers ?? [];
const told = (id: string) =>
  world.sockets.sent.filter(({ connectionId }) => connectionId === id).map(({ data }) => JSON.parse(data));
async function fill(): Promise<string[]> {
  const ids = Array.from({ length: MAX_SUBSCRIBERS }, (_, i) => `c${i}`);
  for (const id of ids) {
    await open(id);
    await subscribe(id);
  }
  return ids;
}

describe('the followers of a session', () => {
  test('are limited: one more is refused, and gets no pushes', async () => {
    const ids = await fill();
    await open('late');
    await subscribe('late');
    expect(told('late')).toMatchObject([
      { type: 'error', sessionId: 's1', problem: { status: 429, title: 'Too many subscribers' } },
    ]);
    expect(await subscribers()).toEqual(ids.toSorted());
  });

  test('include no slot for connections that are gone without a word', async () => {
    const ids = await fill();
    for (const id of ids.slice(0, 20)) await close(id);
    await open('late');
    await subscribe('late');
    expect(told('late')).toEqual([{ type: 'subscribed', sessionId: 's1' }]);
    expect(await subscribers()).toEqual([...ids.slice(20), 'late'].toSorted());
  });

  test('may repeat their subscription, however many there are', async () => {
    const [first = ''] = await fill();
    await subscribe(first);
    expect(told(first)).toHaveLength(2);
  });

  test('do not include a connection that ended before its request was read', async () => {
    await open('left');
    const { remember } = context.connections;
    vi.spyOn(context.connections, 'remember').mockImplementation(async (...asked) => {
      await close('left');
      return remember(...asked);
    });
    await subscribe('left');
    expect(await subscribers()).toEqual([]);
    expect(told('left')).toEqual([]);
  });
});
