import { describe, expect, test } from 'vitest';
import { openStream } from '../../../shared/agent/events/stream.ts';
import { newSession } from '../../../shared/agent/session/session.ts';
import type { AgUiEvent, Frame } from '../../../shared/contract/events.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';

const key = { tenant: 't', sessionId: 's' };
const text = (delta: string): AgUiEvent => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta });
const started: AgUiEvent = { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' };
const finished: AgUiEvent = { type: 'STEP_FINISHED', stepName: 'step 1' };

/** A stream of epoch 3 with the given subscribers, whose last commit ended at frame 2000005. */
async function opened(subscribers: string[] = ['c1'], tail: Frame[] = [], pushEveryMs?: number) {
  const world = memoryWorld();
  const session = { ...newSession(key, 'a', 'd'), eventSeq: 2_000_005 };
  await world.sessions.create(session);
  for (const connection of subscribers) await world.sessions.subscribe(key, connection);
  const view = await world.sessions.read(key);
  if (!view) throw new Error('no session');
  const stream = openStream(key, { ...view, fence: { ...view.fence, epoch: 3 }, tail }, world, pushEveryMs);
  const pushed = (connection = 'c1') =>
    world.sockets.sent
      .filter(({ connectionId }) => connectionId === connection)
      .map(({ data }) => (JSON.parse(data) as { frames: Frame[] }).frames);
  const logged = () => world.log.read(key, 0, 1000);
  return { world, stream, pushed, logged };
}

describe('S1: numbers', () => {
  test('rise from the epoch, and each frame names the one before it', async () => {
    const { stream, logged } = await opened();
    stream.emit(started);
    stream.emit(text('a'));
    await stream.close();
    expect((await logged()).map(({ seq, prev }) => [seq, prev])).toEqual([
      [3_000_001, 2_000_005],
      [3_000_002, 3_000_001],
    ]);
  });

  test('the frames of a commit follow, and may be numbered again until it succeeds', async () => {
    const { world, stream, logged } = await opened();
    stream.emit(started);
    await world.clock.advance(1);
    await stream.settle();
    const tail = stream.tail([finished]);
    expect(stream.tail([finished])).toEqual(tail);
    expect(tail).toEqual([{ seq: 3_000_002, prev: 3_000_001, event: finished }]);
    expect(await logged()).toHaveLength(1);
  });
});

describe('S2 and S4: the log', () => {
  test('a frame that opens something is in the log before it is pushed', async () => {
    const { world, stream, pushed, logged } = await opened();
    const gate = Promise.withResolvers<void>();
    const { append } = world.log;
    world.log.append = async (...args) => {
      await gate.promise;
      return append(...args);
    };
    stream.emit(started);
    await world.clock.advance(1_000);
    expect(pushed()).toEqual([]);
    gate.resolve();
    await world.clock.advance(1);
    expect(pushed()).toHaveLength(1);
    expect(await logged()).toHaveLength(1);
  });

  test('text is pushed before it is logged, and logged after a second, also if no more text comes', async () => {
    const { world, stream, pushed, logged } = await opened();
    stream.emit(started);
    await world.clock.advance(200);
    stream.emit(text('a'));
    await world.clock.advance(100);
    expect(pushed().flat()).toHaveLength(2);
    expect(await logged()).toHaveLength(1);
    await world.clock.advance(1_000);
    expect(await logged()).toHaveLength(2);
    stream.emit(text('b'));
    await world.clock.advance(1_200);
    expect(await logged()).toHaveLength(3);
  });

  test('without subscribers nothing is written during the first second', async () => {
    const { world, stream, logged } = await opened([]);
    stream.emit(started);
    stream.emit(text('a'));
    await world.clock.advance(900);
    expect(await logged()).toEqual([]);
    await world.clock.advance(200);
    expect(await logged()).toHaveLength(2);
  });

  test('the log of a long text is written less often as it continues', async () => {
    const { world, stream } = await opened([]);
    let writes = 0;
    const { append } = world.log;
    world.log.append = (...args) => {
      writes += 1;
      return append(...args);
    };
    for (let i = 0; i < 80; i++) {
      stream.emit(text(String(i)));
      await world.clock.advance(100);
    }
    expect(writes).toBeGreaterThanOrEqual(3);
    expect(writes).toBeLessThanOrEqual(5);
  });

  test('frames that commits have left in HEAD join the first batch', async () => {
    const tail = [{ seq: 2_000_005, prev: 2_000_004, event: finished }];
    const { world, stream, logged } = await opened(['c1'], tail);
    stream.emit(started);
    await world.clock.advance(1);
    expect((await logged()).map(({ seq }) => seq)).toEqual([2_000_005, 3_000_001]);
  });

  test('a failed batch is retried with the next', async () => {
    const { world, stream, logged } = await opened([]);
    const { append } = world.log;
    world.log.append = () => Promise.reject(new Error('throttled'));
    stream.emit(started);
    await world.clock.advance(1_500);
    expect(await logged()).toEqual([]);
    world.log.append = append;
    stream.emit(text('a'));
    await world.clock.advance(2_000);
    expect(await logged()).toHaveLength(2);
  });

  test('a frame that opens something is not pushed while the log cannot be written', async () => {
    const { world, stream, pushed } = await opened();
    world.log.append = () => Promise.reject(new Error('throttled'));
    stream.emit(started);
    await world.clock.advance(500);
    expect(pushed()).toEqual([]);
  });
});

describe('S5: frames that go with the commit', () => {
  const earlier: Frame = { seq: 2_000_005, prev: 2_000_004, event: finished };

  test('a quick step sends everything, also frames of its predecessor, with the commit: the log is not written', async () => {
    const { stream, pushed, logged } = await opened([], [earlier]);
    stream.emit(started);
    stream.emit(text('a'));
    await stream.settle();
    const tail = stream.tail([finished]);
    expect(tail.map(({ seq, prev }) => [seq, prev])).toEqual([
      [2_000_005, 2_000_004],
      [3_000_001, 2_000_005],
      [3_000_002, 3_000_001],
      [3_000_003, 3_000_002],
    ]);
    await stream.deliver(tail, ['c1']);
    expect(await logged()).toEqual([]);
    expect(
      pushed()
        .flat()
        .map(({ seq }) => seq),
    ).toEqual([3_000_001, 3_000_002, 3_000_003]);
  });

  test('frames that were pushed before are not pushed again', async () => {
    const { world, stream, pushed } = await opened();
    stream.emit(started);
    await world.clock.advance(1);
    stream.emit(text('a'));
    await stream.settle();
    const tail = stream.tail([finished]);
    await stream.deliver(tail, ['c1']);
    expect(
      pushed()
        .flat()
        .map(({ seq }) => seq),
    ).toEqual([3_000_001, 3_000_002, 3_000_003]);
  });

  test('a larger amount is in the log before the commit', async () => {
    const { stream, logged } = await opened([], [earlier]);
    stream.emit(started);
    stream.emit(text('a'.repeat(5_000)));
    await stream.settle();
    expect(stream.tail([finished]).map(({ seq }) => seq)).toEqual([3_000_003]);
    expect((await logged()).map(({ seq }) => seq)).toEqual([2_000_005, 3_000_001, 3_000_002]);
  });

  test('the end of an earlier run is in the log before the next commit', async () => {
    const end: AgUiEvent = { type: 'RUN_ERROR', message: 'It has failed.', code: 'max_steps' };
    const { stream, logged } = await opened([], [{ seq: 2_000_005, prev: 2_000_004, event: end }]);
    stream.emit(started);
    await stream.settle();
    expect(stream.tail([finished]).map(({ seq }) => seq)).toEqual([3_000_002]);
    expect((await logged()).map(({ seq }) => seq)).toEqual([2_000_005, 3_000_001]);
  });

  test('a log failure is reported', async () => {
    const { world, stream } = await opened([]);
    world.log.append = () => Promise.reject(new Error('throttled'));
    stream.emit(text('a'.repeat(5_000)));
    await expect(stream.settle()).rejects.toThrow('throttled');
  });
});

describe('S3: pushes', () => {
  test('frames that only open something wait for the first words, but not for long', async () => {
    const { world, stream, pushed } = await opened();
    stream.emit({ type: 'STEP_STARTED', stepName: 'step 1' });
    await world.clock.advance(50);
    expect(pushed()).toEqual([]);
    stream.emit(text('a'));
    await world.clock.advance(1);
    expect(pushed()).toHaveLength(1);
    const silent = await opened();
    silent.stream.emit({ type: 'STEP_STARTED', stepName: 'step 1' });
    await silent.world.clock.advance(300);
    expect(silent.pushed()).toHaveLength(1);
  });

  test('pieces of a long text grow', async () => {
    const { world, stream, pushed } = await opened();
    for (let i = 0; i < 160; i++) {
      stream.emit(text('x'));
      await world.clock.advance(50);
    }
    const sizes = pushed().map((frames) =>
      frames.reduce((sum, { event }) => sum + ('delta' in event ? event.delta.length : 0), 0),
    );
    expect(sizes.length).toBeLessThanOrEqual(35);
    expect(sizes[0]).toBe(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(7);
  });

  test.each([
    [undefined, 300],
    [1_500, 1_500],
    [50, 100],
  ])('with pushEveryMs %s, no pause is longer than %i ms', async (pushEveryMs, most) => {
    const { world, stream, pushed } = await opened(['c1'], [], pushEveryMs);
    const pushes: number[] = [];
    for (let i = 0; i < 2_000; i++) {
      const before = pushed().length;
      if (i % 50 === 0) stream.emit(text('x'));
      await world.clock.advance(5);
      if (pushed().length > before) pushes.push(i * 5);
    }
    const pauses = pushes.slice(1).map((at, i) => at - (pushes[i] ?? 0));
    // Words come every 250 ms.
    expect(Math.max(...pauses)).toBeLessThanOrEqual(most + 250);
    expect(Math.max(...pauses)).toBeGreaterThanOrEqual(Math.min(most, 1_000));
  });

  test('the first push leaves at once, the next are coalesced to one in 150 ms', async () => {
    const { world, stream, pushed } = await opened();
    for (let i = 0; i < 10; i++) {
      stream.emit(text(String(i)));
      await world.clock.advance(30);
    }
    await world.clock.advance(200);
    expect(pushed().length).toBeLessThanOrEqual(5);
    expect(
      pushed()
        .flat()
        .map(({ event }) => ('delta' in event ? event.delta : ''))
        .join(''),
    ).toBe('0123456789');
    expect(pushed()[0]?.[0]?.event).toMatchObject({ delta: '0' });
  });

  test.each([
    { answer: 'gone', stays: false },
    { answer: 'slow', stays: true },
    { answer: 'failed', stays: true },
  ] as const)(
    'a connection that is $answer gets nothing more in this step; subscribed still: $stays',
    async ({ answer, stays }) => {
      const { world, stream, pushed } = await opened(['c1', 'c2']);
      world.sockets.answer('c2', answer);
      stream.emit(started);
      await world.clock.advance(200);
      world.sockets.answer('c2', 'sent');
      stream.subscribers(['c1', 'c2']);
      stream.emit(text('a'));
      await world.clock.advance(200);
      await stream.deliver(stream.tail([finished]), ['c1', 'c2']);
      expect(pushed('c2')).toEqual([]);
      expect(pushed('c1').flat()).toHaveLength(3);
      const { fence } = (await world.sessions.read(key)) ?? {};
      expect(fence?.subscribers.includes('c2')).toBe(stays);
    },
  );

  test('a client that subscribes during a step gets the newest frame, which reveals a gap, and everything after it', async () => {
    const { world, stream, pushed, logged } = await opened([]);
    stream.emit(started);
    await world.clock.advance(1_200);
    stream.emit(text('b'));
    stream.subscribers(['late']);
    await world.clock.advance(1);
    expect(await logged()).toHaveLength(2);
    stream.emit(text('a'));
    await world.clock.advance(200);
    expect(
      pushed('late')
        .flat()
        .map(({ event }) => event.type),
    ).toEqual(['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_CONTENT']);
  });

  test('a client that subscribes while a push waits gets each frame once, and is not asked again if it is gone', async () => {
    const { world, stream, pushed } = await opened();
    const gate = Promise.withResolvers<void>();
    const { append } = world.log;
    world.log.append = async (...args) => {
      await gate.promise;
      return append(...args);
    };
    const posts: string[] = [];
    const { post } = world.sockets;
    world.sockets.post = (connection, data) => {
      posts.push(connection);
      return connection === 'gone' ? Promise.resolve('gone') : post(connection, data);
    };
    stream.emit(started);
    await world.clock.advance(1_000);
    stream.subscribers(['c1', 'late', 'gone']);
    gate.resolve();
    await world.clock.advance(1);
    expect(pushed('late').flat()).toHaveLength(1);
    expect(posts.filter((connection) => connection === 'gone')).toHaveLength(1);
  });

  test('a client that subscribes during the commit gets each of its frames once', async () => {
    const { world, stream, pushed } = await opened();
    stream.emit(started);
    await world.clock.advance(1_000);
    stream.emit(text('a'));
    await stream.settle();
    const frames = stream.tail([text('b')]);
    stream.subscribers(['c1', 'late']);
    await stream.deliver(frames, ['c1', 'late']);
    await world.clock.advance(1);
    const seqs = pushed('late')
      .flat()
      .map(({ seq }) => seq);
    expect(seqs.length).toBeGreaterThan(0);
    expect(new Set(seqs).size).toBe(seqs.length);
  });

  test('an abandoned stream greets no client: the new owner does', async () => {
    const { world, stream, pushed } = await opened();
    stream.emit(started);
    await world.clock.advance(1_000);
    stream.abandon();
    stream.subscribers(['c1', 'late']);
    await world.clock.advance(1_000);
    expect(pushed('late')).toEqual([]);
  });

  test('closing sends the emitted frames and ends', async () => {
    const { world, stream, pushed } = await opened();
    stream.emit(started);
    stream.emit(text('a'));
    await stream.close();
    expect(pushed().flat()).toHaveLength(2);
    expect(world.clock.sleepers()).toBe(0);
  });

  test('closing waits for the log, also if there are no other waiters', async () => {
    const { world, stream } = await opened();
    let calls = 0;
    let under = 0;
    world.log.append = async () => {
      calls += 1;
      under += 1;
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
      throw new Error('the log is down');
    };
    stream.emit(started);
    await world.clock.advance(1);
    await stream.close();
    const made = calls;
    expect(under).toBe(0);
    for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toBe(made);
  });
});
