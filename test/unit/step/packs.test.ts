import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import { MAX_PACK_BYTES, type SessionStore } from '../../../shared/agent/ports/sessions.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import type { ModelSlot, Slot, ToolsSlot } from '../../../shared/agent/session/slots.ts';
import { claimAndLoad } from '../../../shared/agent/step/open/load.ts';
import { cutOf, packTail } from '../../../shared/agent/step/open/packing.ts';
import { failAfter, failBefore, freezeBefore, killAfter, killBefore } from '../../../testing/faults.ts';
import { calls, reply, type ScriptedRequest, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { moveContext } from '../../support/move-context.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { ofType, tool } from './reading.fixture.ts';

const ABOVE = 1_500;
/** More slots than any session of these tests has. */
const NEVER = 1_000_000;

/** A call for every message and an answer for every result, in every session and every time. */
const talkative = () =>
  scriptedModel(
    ...Array.from(
      { length: 50 },
      () =>
        ({ request }: ScriptedRequest) =>
          answerTo(request),
    ),
  );

function answerTo({ messages }: ModelRequest): ModelOutcome {
  const isResult = messages.at(-1)?.content.some(({ type }) => type === 'tool_result');
  if (isResult) return says(`Answer ${messages.length}.`);
  const last = messages.flatMap(({ content }) => content).findLast(({ type }) => type === 'tool_use');
  const next = Number(String(last?.id ?? 'call-0').slice(5)) + 1;
  const call = { id: `call-${next}`, name: 'look', input: { about: `thing ${messages.length}` } };
  return reply({ stop: 'tool_use', content: [{ type: 'tool_use', ...call }], calls: [call] });
}

const look = tool('look', ({ about }) => `${about}: ${'x'.repeat(200)}`);

const newWorld = (packAbove = ABOVE) => sessionWorld({ tools: [look] }, talkative(), { packAbove });

/** Sends messages, one after the other, until there have been so many. */
async function talk(world: SessionWorld, messages: number): Promise<void> {
  const said = (await world.slots().catch(() => [])).filter(
    (slot) => slot.kind === 'model' && slot.input.length > 0,
  );
  for (let i = said.length; i < messages; i++) {
    await world.say(`Message ${i}.`);
    await world.settle();
  }
}

/** The requests of a session without packs for as many messages. */
async function asksWithout(messages: number) {
  const world = await newWorld(NEVER);
  await talk(world, messages);
  return world.model.requests;
}

const packedOf = async (world: SessionWorld) => (await world.view()).session.packed;

/** The stored packs, by their id and their first and last slot. */
const packsIn = ({ table }: SessionWorld): string[] =>
  [...table.packs].flatMap(([name, packs]) =>
    [...packs.keys()].map((slots) => `${name.split('#').at(-1)} ${slots}`),
  );

/** The start of each read of slots. */
function watchReads(world: SessionWorld) {
  const slots: number[] = [];
  const packs: string[] = [];
  const next = () => {
    world.faults.at('sessions.slots', (proceed, _host, [, from, page]) => {
      if (!page) slots.push(from as number);
      next();
      return proceed();
    });
  };
  const nextPacks = () => {
    world.faults.at('sessions.packs', (proceed, _host, [, , from, below]) => {
      packs.push(`${from}-${below}`);
      nextPacks();
      return proceed();
    });
  };
  next();
  nextPacks();
  return { slots, packs };
}

describe('packs', () => {
  test('change neither the requests to the model nor the events for people', async () => {
    const [plain, packed] = [await newWorld(NEVER), await newWorld()];
    await talk(plain, 8);
    await talk(packed, 8);
    expect(packed.model.requests).toEqual(plain.model.requests);
    expect(await packed.events()).toEqual(await plain.events());
    expect(await packed.slots()).toEqual(await plain.slots());
    expect(packsIn(plain)).toEqual([]);
    expect(packsIn(packed).length).toBeGreaterThan(2);
  });

  test('contain every committed slot below the mark on HEAD, unchanged, one piece after the other', async () => {
    const world = await newWorld();
    await talk(world, 8);
    const { below = 0, id = '' } = (await packedOf(world)) ?? {};
    expect(below).toBeGreaterThan(20);
    const held = [...(world.table.packs.get(`acme#s1#packs#${id}`)?.values() ?? [])].flat();
    expect(held).toEqual((await world.slots()).slice(0, below));
    for (const pack of world.table.packs.get(`acme#s1#packs#${id}`)?.values() ?? [])
      expect(pack.at(-1)).toMatchObject({ kind: 'model', reply: {} });
  });

  test('leave only the tail to be read beside the claim: a step reads about as much at any age', async () => {
    const world = await newWorld();
    await talk(world, 7);
    const { version, packed } = (await world.view()).session;
    const reads = watchReads(world);
    await talk(world, 8);
    expect(reads.slots[0]).toBe(packed?.below);
    // The next step's wake contains them.
    expect(reads.slots).toHaveLength(1);
    expect(reads.slots[0]).toBeGreaterThan(version - 10);
    expect(reads.packs).toHaveLength(2);
  });

  test('are not made for a session below the threshold', async () => {
    const world = await newWorld();
    await talk(world, 1);
    expect(packsIn(world)).toEqual([]);
    expect(await packedOf(world)).toBeUndefined();
  });

  test('are written while the model answers, from the slots committed before the call', async () => {
    const world = await newWorld();
    await talk(world, 2);
    let slots: readonly Slot[] = [];
    let version = 0;
    world.faults.at('sessions.putPack', async (proceed, _host, args) => {
      slots = args[2] as Slot[];
      ({ version } = (await world.view()).session);
      return proceed();
    });
    await talk(world, 4);
    expect(slots.length).toBeGreaterThan(0);
    for (const { n } of slots) expect(n).toBeLessThan(version);
    expect((await packedOf(world))?.below).toBeGreaterThanOrEqual(slots.length);
  });

  test.each([
    ['never arrived', failBefore],
    ['was applied and its answer lost', failAfter],
  ])('whose write %s change nothing: the next step writes one', async (_, fault) => {
    const world = await newWorld();
    world.faults.at('sessions.putPack', fault);
    await talk(world, 8);
    expect(world.model.requests).toEqual(await asksWithout(8));
    expect((await packedOf(world))?.below).toBeGreaterThan(15);
  });

  test('that cannot be written for long leave the session as it was', async () => {
    const world = await newWorld();
    for (let nth = 1; nth <= 20; nth++) world.faults.at('sessions.putPack', failBefore, nth);
    await talk(world, 8);
    expect(world.model.requests).toEqual(await asksWithout(8));
    expect(await packedOf(world)).toBeUndefined();
  });

  test('are written again, the same ones, if their step dies before its commit', async () => {
    const world = await newWorld();
    await talk(world, 4);
    const before = await packedOf(world);
    expect(before).toBeDefined();
    world.faults.at('sessions.putPack', killAfter);
    world.faults.at('sessions.putPack', killAfter, 2);
    await talk(world, 8);
    const names = packsIn(world);
    expect(new Set(names.map((name) => name.split(' ')[0]))).toEqual(new Set([before?.id]));
    const firsts = names.map((name) => name.split(' ')[1]?.split('-')[0]);
    expect(new Set(firsts).size).toBe(firsts.length);
    expect((await packedOf(world))?.below).toBeGreaterThan(before?.below ?? 0);
  });

  test('of a stale owner do no harm, however late they come', async () => {
    const world = await newWorld();
    await talk(world, 2);
    world.faults.at('sessions.putPack', freezeBefore);
    await world.say('Message 2.');
    const running = [world.begin()];
    while ((await running.at(-1)?.finish()) === 'ack') {
      if (world.queue.messages().length === 0) await world.say('More.');
      running.push(world.begin());
    }
    const stale = running.at(-1);
    await world.clock.advance(70_000);
    await world.settle();
    const { packed, version } = (await world.view()).session;
    const held = packsIn(world);
    stale?.host.thaw();
    expect(await stale?.finish()).toBe('retry');
    // The same one that the next owner has put.
    expect(packsIn(world)).toEqual(held);
    expect((await world.view()).session).toMatchObject({ packed, version });
    await talk(world, 8);
    const { below = 0, id = '' } = (await packedOf(world)) ?? {};
    expect(below).toBeGreaterThan(15);
    expect(await world.sessions.packs(world.key, id, 0, below)).toEqual(
      (await world.slots()).slice(0, below),
    );
  });

  test('are unknown to an owner with an old wake, which costs one read of all slots', async () => {
    const world = await newWorld();
    await talk(world, 6);
    const packed = await packedOf(world);
    await world.say('Message 6.');
    const { wake, handle } = world.queue.receive() ?? {};
    if (!wake?.hint || !handle) throw new Error('no wake');
    world.queue.delete(handle);
    await world.queue.send({ ...wake, hint: { ...wake.hint, from: 0 } });
    const reads = watchReads(world);
    await world.step();
    expect(reads).toEqual({ slots: [0], packs: [] });
    await world.settle();
    expect((await packedOf(world))?.id).toBe(packed?.id);
    expect(world.model.requests).toEqual(await asksWithout(7));
  });

  test('are read when a step takes over, and the snapshot has the whole conversation', async () => {
    const [plain, packed] = [await newWorld(NEVER), await newWorld()];
    for (const world of [plain, packed]) {
      await talk(world, 6);
      world.faults.at('sessions.commit', killBefore);
      await talk(world, 7);
    }
    expect(packed.model.requests).toEqual(plain.model.requests);
    const snapshots = async (world: SessionWorld) => ofType(await world.events(), 'MESSAGES_SNAPSHOT');
    expect(await snapshots(plain)).toHaveLength(1);
    expect(await snapshots(packed)).toEqual(await snapshots(plain));
  });
});

describe('the content of a pack', () => {
  test('is committed: slots of a dead owner are excluded, and so are those before the context', async () => {
    const world = await newWorld();
    await talk(world, 3);
    const { slots, view } = { slots: await world.slots(), view: await world.view() };
    const { session } = view;
    const packs: (readonly Slot[])[] = [];
    const io = {
      ids: world.ids,
      sessions: {
        ...world.sessions,
        putPack: async (...[, , put]: Parameters<SessionStore['putPack']>) => void packs.push(put),
      },
    };
    const at = (version: number, contextStart: number) => ({
      ...session,
      packed: undefined,
      version,
      contextStart,
    });
    const cut = async (version: number, contextStart: number) =>
      packTail({ key: world.key, view: { ...view, session: at(version, contextStart) }, slots }, io, 100);
    const [first, second] = [await cut(5, 0), await cut(7, 3)];
    expect([first?.below, second?.below]).toEqual([4, 7]);
    // Without packs, or after they are gone, new ones get a new name.
    expect(first?.id).not.toBe(second?.id);
    expect(packs.map((put) => put.map(({ n }) => n))).toEqual([
      [0, 1, 2, 3],
      [3, 4, 5, 6],
    ]);
  });
});

describe('packs and the start of the context', () => {
  /** Seven messages, and a moved context; returns the request for the eighth, with the reads of its first step. */
  async function moved(packAbove: number, to: (below: number) => number) {
    const world = await newWorld(packAbove);
    await talk(world, 7);
    await world.say('Message 7.');
    const contextStart = to((await packedOf(world))?.below ?? 18);
    await moveContext(world, contextStart);
    const reads = watchReads(world);
    await world.settle();
    return { world, reads, contextStart, asked: world.model.requests.slice(14) };
  }

  test('a context that begins in a pack reads packs from there', async () => {
    const { reads, contextStart, world, asked } = await moved(ABOVE, () => 9);
    expect(contextStart).toBe(9);
    expect(reads.packs[0]).toMatch(/^9-/);
    expect(asked).toEqual((await moved(NEVER, () => 9)).asked);
    expect((await world.view()).session.packed?.below).toBeGreaterThan(18);
  });

  test.each([0, 9, 11])('loading begins with the context, although the wake says %i', async (from) => {
    const world = await newWorld(NEVER);
    await talk(world, 4);
    await world.say('Message 4.');
    await moveContext(world, 10);
    const { key, clock } = world;
    const { version, definition } = (await world.view()).session;
    const invocation = {
      id: 'i',
      message: { messageId: 'm', receiptHandle: 'r' },
      deadlineAt: clock.now() + 60_000,
    };
    const wake = { ...key, hint: { version, from, definition } };
    const loaded = await claimAndLoad(wake, invocation, 60_000, world);
    if (loaded.kind !== 'claimed') throw new Error(loaded.kind);
    expect(loaded.slots.map(({ n }) => n)).toEqual(
      (await world.slots()).map(({ n }) => n).filter((n) => n >= 10),
    );
  });

  test('a context that begins after all packs reads none', async () => {
    const { reads, contextStart, asked } = await moved(ABOVE, (below) => below + 1);
    expect(reads.packs).toEqual([]);
    // As the wake says, which was sent before.
    expect(Math.min(...reads.slots)).toBe(contextStart - 1);
    expect(asked).toEqual((await moved(NEVER, () => contextStart)).asked);
  });
});

describe('packs and a waiting session', () => {
  test('stay as they are while people decide, and the batch is closed from their slots', async () => {
    const ask = async (packAbove: number) => {
      const world = await sessionWorld(
        {
          tools: [look, tool('pay', undefined, { effect: 'once', approval: 'always' })],
        },
        scriptedModel(
          ...Array.from(
            { length: 6 },
            () =>
              ({ request }: ScriptedRequest) =>
                answerTo(request),
          ),
          calls(['pay', { cents: 1 }], ['pay', { cents: 2 }]),
          says('Paid.'),
        ),
        { packAbove },
      );
      await talk(world, 3);
      await world.say('Pay.');
      await world.settle();
      const packed = await packedOf(world);
      const [first = '', second = ''] = (await world.view()).fence.pending;
      for (const wait of [first, second]) {
        expect((await world.view()).session).toMatchObject({ state: 'waiting_for_input' });
        expect(await packedOf(world)).toEqual(packed);
        await world.sessions.decide(world.key, wait, { approved: true, by: 'ana', at: world.clock.now() });
        await world.queue.send(world.key);
        await world.settle();
      }
      return world;
    };
    const [plain, packed] = [await ask(NEVER), await ask(ABOVE)];
    expect(await packedOf(packed)).toBeDefined();
    const answers = ({ model }: SessionWorld) =>
      model.requests.at(-1)?.messages.map(({ role, content }) => [role, content.length]);
    expect(answers(packed)).toEqual(answers(plain));
  });
});

describe('the part of a tail that is packed', () => {
  const said = (n: number, chars: number): ModelSlot => ({
    ...{ kind: 'model', n, runId: 'r', step: 1, verdicts: [] },
    input: [{ text: 'x'.repeat(chars) }],
  });
  const replied = (n: number, chars = 100): ModelSlot => ({
    ...said(n, chars),
    reply: {
      messageId: `m${n}`,
      model: 'm',
      stop: 'end_turn',
      content: [],
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      costUsd: 0,
    },
  });
  const results = (n: number, chars: number): ToolsSlot => ({
    ...{ kind: 'tools', n, runId: 'r', replyTo: 'm', verdicts: [] },
    results: [{ callId: 'c', name: 'look', outcome: 'ok', content: 'x'.repeat(chars), durationMs: 1 }],
  });
  const numbers = (slots: readonly Slot[], above = 1_000) => {
    const cut = cutOf(slots, above);
    return cut && { slots: cut.slots.map(({ n }) => n), below: cut.below };
  };

  test('nothing, if it is small or empty', () => {
    expect(cutOf([], 0)).toBeUndefined();
    expect(numbers([replied(0), results(1, 100), replied(2)], 5_000)).toBeUndefined();
  });

  test('all of it, up to the last reply', () => {
    expect(numbers([replied(4), results(5, 500), replied(6), results(7, 500)])).toEqual({
      slots: [4, 5, 6],
      below: 7,
    });
  });

  test('nothing yet, while there is no reply', () => {
    expect(numbers([results(5, 2_000), said(6, 10)])).toBeUndefined();
  });

  test('as much as one pack holds; the next step packs more', () => {
    const half = MAX_PACK_BYTES / 2;
    expect(numbers([results(5, half), replied(6), results(7, half), replied(8)])).toEqual({
      slots: [5, 6],
      below: 7,
    });
    expect(numbers([results(5, half), results(6, half), replied(7)])).toEqual({ slots: [5], below: 6 });
  });

  test('up to a slot that is larger than a pack, which is left out', () => {
    const large = MAX_PACK_BYTES + 1;
    expect(numbers([replied(4), results(5, large), replied(6)])).toEqual({ slots: [4], below: 5 });
    expect(numbers([results(5, large), replied(6)])).toEqual({ slots: [], below: 6 });
  });

  test('never more bytes than a pack may have, whatever the characters are', () => {
    const slots = Array.from({ length: 40 }, (_, n) => ({
      ...replied(n),
      input: [{ text: '漢'.repeat(5_000) }],
    }));
    const bytes = Buffer.byteLength(JSON.stringify(cutOf(slots, 1_000)?.slots));
    expect(bytes).toBeLessThanOrEqual(MAX_PACK_BYTES);
    expect(bytes).toBeGreaterThan(MAX_PACK_BYTES - 20_000);
  });
});
