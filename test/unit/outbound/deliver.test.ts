import { beforeEach, describe, expect, test } from 'vitest';
import { type Channel, deliver, type Telling } from '../../../shared/agent/outbound/deliver.ts';
import { newDestination, type Progress } from '../../../shared/agent/outbound/destination.ts';
import { newSession } from '../../../shared/agent/session/session.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';

const key = { tenant: 'acme', sessionId: 's1' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let world: MemoryWorld;
let count = 0;
beforeEach(async () => {
  world = memoryWorld();
  await world.sessions.create(newSession(key, 'a', 'd', { outbound: true }));
  await world.outbound.put(key, newDestination('one', 'callback', null));
});

const turns: Telling[] = [];
const channel = (serve: (turn: Telling) => ReturnType<Channel['serve']>): Channel => ({
  async serve(turn) {
    turns.push(turn);
    return serve(turn);
  },
});
const done: Channel['serve'] = async () => ({ patch: { cursor: 5 } });
const again =
  (at: () => number, patch: Partial<Progress> = {}) =>
  async () => ({ patch, againAt: at() });

beforeEach(() => {
  turns.length = 0;
});

function run(callback: Channel, minutes = 2) {
  const id = `inv${++count}`;
  const message = { messageId: id, receiptHandle: id };
  const deadlineAt = world.clock.now() + minutes * MINUTE;
  return deliver(key, { id, message, deadlineAt }, { callback }, world);
}
const one = async () => (await world.outbound.list(key))[0];
const waiting = () => world.queue.deliveries.messages().map(({ visibleAt }) => visibleAt - world.clock.now());

/** Receives visible messages repeatedly, moving the clock to the next message, until none is left. */
async function settle(callback: Channel, most = 1000): Promise<number> {
  const { deliveries } = world.queue;
  for (let hops = 0; hops < most; ) {
    const received = deliveries.receive();
    if (received) {
      hops += 1;
      if ((await run(callback)) === 'ack') deliveries.delete(received.handle);
      continue;
    }
    const next = deliveries.nextVisibleAt();
    if (next === undefined) return hops;
    await world.clock.advance(next - world.clock.now());
  }
  throw new Error('it never ends');
}

describe('a delivery', () => {
  test('gives each destination a turn, stores the result, and releases it', async () => {
    expect(await run(channel(done))).toBe('ack');
    expect(turns).toHaveLength(1);
    expect(await one()).toMatchObject({ cursor: 5, nextAt: 0 });
    expect(await world.outbound.claim(key, 'one', 'next', 1, 0)).toMatchObject({ kind: 'claimed' });
  });

  test('to an unknown session, or of an unknown kind, is dropped', async () => {
    await world.outbound.put(key, newDestination('two', 'slack', null));
    expect(await run(channel(done))).toBe('ack');
    expect(turns).toHaveLength(1);
    const invocation = { id: 'x', message: { messageId: 'm', receiptHandle: 'r' }, deadlineAt: 1 };
    expect(await deliver({ ...key, sessionId: 'none' }, invocation, {}, world)).toBe('ack');
  });

  test('claims nothing for a channel without work', async () => {
    expect(await run({ ...channel(done), isIdle: () => true })).toBe('ack');
    expect(turns).toHaveLength(0);
  });

  test('that comes while another one is served makes that one look again', async () => {
    const meanwhile = channel(async () => {
      if (turns.length === 1) expect(await run(channel(done))).toBe('ack');
      return { patch: { cursor: turns.length } };
    });
    expect(await run(meanwhile)).toBe('ack');
    expect(turns).toHaveLength(2);
    expect(turns[1]?.destination.cursor).toBe(1);
    expect(await one()).toMatchObject({ cursor: 2 });
  });

  test('that failed while another knocked is still recorded as failed', async () => {
    const nextAt = world.clock.now() + 5000;
    const failing = channel(async () => {
      await run(channel(done));
      return { patch: { attempts: 1, memory: 'failed' }, againAt: nextAt };
    });
    expect(await run(failing)).toBe('ack');
    expect(turns).toHaveLength(1);
    expect(await one()).toMatchObject({ cursor: 0, attempts: 1, memory: 'failed', nextAt });
  });

  test('that another knocked at passes the state of its turn to the next turn', async () => {
    const posting = channel(async ({ advance }) => {
      if (turns.length > 1) return { patch: {} };
      await advance({ memory: { ts: 'posted' } });
      await run(channel(done));
      return { patch: { cursor: 3 } };
    });
    await run(posting);
    expect(turns[1]?.destination).toMatchObject({ cursor: 3, memory: { ts: 'posted' } });
    expect(await one()).toMatchObject({ cursor: 3, memory: { ts: 'posted' } });
  });

  test('whose owner was replaced changes nothing', async () => {
    const slow = channel(async ({ advance }) => {
      await world.outbound.claim(key, 'one', 'other', MINUTE, world.clock.now() + HOUR);
      expect(await advance({ cursor: 9 })).toBe('lost');
      return { patch: { cursor: 9 } };
    });
    expect(await run(slow)).toBe('ack');
    expect(await one()).toMatchObject({ cursor: 0 });
  });

  test('that fails comes back, and does not delay the others', async () => {
    await world.outbound.put(key, newDestination('two', 'callback', null));
    const half = channel(async ({ destination }) => {
      if (destination.name === 'one') throw new Error('the pipe burst');
      return { patch: { cursor: 7 } };
    });
    await expect(run(half)).rejects.toThrow('the pipe burst');
    expect((await world.outbound.list(key)).map(({ cursor }) => cursor)).toEqual([0, 7]);
    await world.clock.advance(2.5 * MINUTE);
    expect(await run(channel(done))).toBe('ack');
    expect((await world.outbound.list(key)).map(({ cursor }) => cursor)).toEqual([5, 5]);
  });

  test('without time for another turn asks for another invocation', async () => {
    const knocked = channel(async () => {
      await run(channel(done));
      await world.clock.advance(MINUTE);
      return { patch: {} };
    });
    expect(await run(knocked, 1)).toBe('ack');
    expect(turns).toHaveLength(1);
    expect(waiting()).toEqual([1000]);
  });
});

describe('a waiting destination', () => {
  test('waits for seconds, and then gets its turn by one message', async () => {
    const start = world.clock.now();
    const first = channel(async () =>
      turns.length === 1 ? again(() => start + 5000)() : done(turns[1] as Telling),
    );
    await run(first);
    expect(waiting()).toEqual([5000]);
    expect(await settle(first)).toBe(1);
    expect(turns).toHaveLength(2);
    expect(await one()).toMatchObject({ cursor: 5, nextAt: 0, hopAt: 0 });
  });

  test('waits for a day, and is checked every fifteen minutes and served once', async () => {
    const start = world.clock.now();
    const first = channel(async () =>
      turns.length === 1 ? again(() => start + 24 * HOUR)() : done(turns[1] as Telling),
    );
    await run(first);
    expect(await settle(first)).toBe(96);
    expect(turns).toHaveLength(2);
    expect(world.clock.now()).toBe(start + 24 * HOUR);
  });

  test('does not get a chain of hops for each commit meanwhile', async () => {
    const start = world.clock.now();
    const first = channel(async () =>
      turns.length === 1 ? again(() => start + 24 * HOUR)() : done(turns[1] as Telling),
    );
    await run(first);
    for (let commit = 0; commit < 20; commit++) await world.queue.deliver(key);
    expect(await settle(first)).toBe(96 + 20);
  });

  test('is not forgotten when a clock is behind and its message seems to come early', async () => {
    const start = world.clock.now();
    await run(channel(again(() => start + 10 * MINUTE)));
    const [message] = world.queue.deliveries.messages();
    await world.clock.advance(10 * MINUTE - 5000);
    // The test receives and acknowledges the only message here.
    expect(message).toBeDefined();
    expect(await run(channel(done))).toBe('ack');
    expect(turns).toHaveLength(1);
    expect(waiting()).toContain(5000);
  });

  test('keeps its message if the wait cannot be announced', async () => {
    const broken = {
      ...world,
      queue: { ...world.queue, deliver: () => Promise.reject(new Error('no queue')) },
    };
    const invocation = { id: 'x', message: { messageId: 'm', receiptHandle: 'r' }, deadlineAt: MINUTE };
    const wants = channel(again(() => world.clock.now() + HOUR));
    await expect(deliver(key, invocation, { callback: wants }, broken)).rejects.toThrow('no queue');
  });

  test('is not tried again once it wants nothing more', async () => {
    await run(channel(async () => ({ patch: { state: 'disabled' } })));
    await run(channel(done));
    expect(turns).toHaveLength(1);
  });
});
