import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import { answerBytes, fitting, PAGE_BYTES } from '../../../functions/routes/page.ts';
import { readEvents, readMessages } from '../../../functions/routes/reads.ts';
import type { Slot } from '../../../shared/agent/session/slots.ts';
import type { Frame, SnapshotMessage } from '../../../shared/contract/events.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import { aFrame, aResult, aSlot, claimedSession, commitOf, key } from '../../contract/harness.ts';

const caller: Identity = { tenant: key.tenant, subject: 'user:ada', kind: 'jwt', roles: [] };
/** The limit of Lambda's response, to the byte. */
const LAMBDA_BYTES = 6_291_556;
/** JSON has six bytes for it, and seven if that is in JSON again. */
const control = (length: number) => '\u0001'.repeat(length);

/** An idle session with these slots and frames. */
async function session(slots: readonly Slot[], frames: readonly Frame[] = []) {
  const world = memoryWorld();
  const stores = { ...world, duringNextAccept: () => {} };
  const view = await claimedSession(stores);
  for (const slot of slots) await world.sessions.putSlot(key, view.fence.epoch, slot);
  for (const frame of frames) await world.log.append(key, [frame]);
  const ended = { ...view.session, version: slots.length };
  await world.sessions.commit(commitOf(view, { session: ended }));
  const reads: unknown[] = [];
  const sessions = {
    ...world.sessions,
    slots: async (...asked: Parameters<typeof world.sessions.slots>) => {
      const found = await world.sessions.slots(...asked);
      reads.push(found.length);
      return found;
    },
  };
  const get = async (route: Route, query: Record<string, string>) => {
    const event = { pathParameters: { sessionId: key.sessionId }, queryStringParameters: query };
    const context = { io: { ...world, sessions } } as unknown as RouteContext;
    const answer = await route(event as unknown as APIGatewayProxyEventV2, caller, context);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(LAMBDA_BYTES);
    return JSON.parse(answer.body ?? '');
  };
  return { get, reads };
}

/** All messages, page by page. */
async function allMessages({ get }: Awaited<ReturnType<typeof session>>) {
  const pages: SnapshotMessage[][] = [];
  for (let from: string | undefined = '0'; from !== undefined; ) {
    const { messages, next }: { messages: SnapshotMessage[]; next?: string } = await get(readMessages, {
      from,
    });
    pages.push(messages);
    from = next;
  }
  return pages;
}

const results = (n: number, count: number, content: string): Slot => ({
  kind: 'tools',
  n,
  runId: 'run1',
  replyTo: 'm1',
  verdicts: [],
  results: Array.from({ length: count }, (_, i) => aResult(`call-${n}-${i}`, content)),
});

describe('GET /messages', () => {
  test('is one page if it is small, without a next', async () => {
    const made = await session([aSlot(0, 'hi'), results(1, 2, 'ok')]);
    expect(await allMessages(made)).toEqual([
      [
        expect.objectContaining({ content: 'hi' }),
        expect.objectContaining({ content: 'ok' }),
        expect.objectContaining({ content: 'ok' }),
      ],
    ]);
  });

  test('ends a page by its bytes, and reads only the slots of that page', async () => {
    const made = await session(Array.from({ length: 40 }, (_, n) => aSlot(n, `${n} ${'"'.repeat(98_000)}`)));
    const pages = await allMessages(made);
    expect(pages.flat().map(({ content }) => Number.parseInt(String(content), 10))).toEqual([
      ...Array(40).keys(),
    ]);
    expect(pages.length).toBeGreaterThan(5);
    expect(made.reads.every((read) => Number(read) <= 13)).toBe(true);
  });

  test('ends a page in the middle of a batch that is larger than a response', async () => {
    const made = await session([aSlot(0, 'hi'), results(1, 36, 'x'.repeat(200_000)), aSlot(2, 'end')]);
    const pages = await allMessages(made);
    expect(pages).toHaveLength(4);
    const told = pages.flat().map(({ id }) => id);
    expect(told.slice(1, -1)).toEqual(Array.from({ length: 36 }, (_, i) => `result-call-1-${i}`));
    expect(pages.at(-1)?.at(-1)).toMatchObject({ content: 'end' });
  });

  test('gives a message that is larger than a page its own page', async () => {
    const long = control(400_000);
    const made = await session([aSlot(0, 'hi'), aSlot(1, long), aSlot(2, 'end')]);
    expect((await allMessages(made)).map((page) => page.map(({ content }) => content))).toEqual([
      ['hi'],
      [long],
      ['end'],
    ]);
  });

  test('cuts a message that exceeds a response, and says so', async () => {
    const reply = {
      messageId: 'm',
      model: 'm',
      stop: 'end_turn',
      costUsd: 0,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      content: [
        { type: 'text', text: control(900_000) },
        { type: 'tool_use', id: 'c1', name: 'write', input: { text: 'x'.repeat(20_000) } },
        { type: 'tool_use', id: 'c2', name: 'write', input: {} },
      ],
    } as const;
    const made = await session([{ ...aSlot(0, 'hi'), reply }, aSlot(1, 'end')]);
    const [, message, last] = (await allMessages(made)).flat();
    expect(message?.content).toMatch(/\[cut: the whole has 900000 characters\]$/);
    expect(message).toMatchObject({
      toolCalls: [
        { id: 'c1', function: { arguments: '{"cut":"the arguments have 20011 characters"}' } },
        { id: 'c2', function: { arguments: '{}' } },
      ],
    });
    expect(last).toMatchObject({ content: 'end' });
  });

  test('skips slots without visible content', async () => {
    const unseen = (n: number): Slot => ({ ...aSlot(n), input: [{ text: 'x', internal: { reason: 'r' } }] });
    const made = await session([aSlot(0, 'hi'), unseen(1), unseen(2), aSlot(3, 'end')]);
    const page = await made.get(readMessages, { from: '1', limit: '2' });
    expect(page).toEqual({ messages: [], next: '3' });
    expect(await made.get(readMessages, { from: '3' })).toEqual({ messages: [expect.anything()] });
    expect(await made.get(readMessages, { from: '9' })).toEqual({ messages: [] });
  });

  test.each(['-1', '1.', '.5', '1e3', 'x', '1.2.3', ''])('refuses the cursor "%s"', async (from) => {
    const made = await session([]);
    await expect(made.get(readMessages, { from })).rejects.toMatchObject({ problem: { status: 400 } });
  });
});

describe('GET /events', () => {
  test('ends a page by its bytes, and continues after its last frame', async () => {
    const frames = Array.from({ length: 120 }, (_, i) => aFrame(i + 1, control(16_000)));
    const made = await session([], frames);
    const seqs: number[] = [];
    let pages = 0;
    for (let after = 0; ; pages += 1) {
      const page: { frames: Frame[]; next: number } = await made.get(readEvents, { after: String(after) });
      seqs.push(...page.frames.map(({ seq }) => seq));
      after = page.next;
      if (page.frames.length === 0) break;
    }
    expect(seqs).toEqual(frames.map(({ seq }) => seq));
    expect(pages).toBeGreaterThan(5);
  });
});

describe('a page', () => {
  test('counts the bytes of escaping twice: for the body, and for the response that contains it', () => {
    const body = JSON.stringify({ said: control(10) });
    expect(answerBytes({ said: control(10) })).toBe(Buffer.byteLength(JSON.stringify(body)));
  });

  test('holds as many items as fit, and at least one', () => {
    const item = 'x'.repeat(PAGE_BYTES / 2);
    expect(fitting([])).toBe(0);
    expect(fitting([item, 'y'])).toBe(2);
    expect(fitting([item, item, 'y'])).toBe(1);
    expect(fitting([item.repeat(3), 'y'])).toBe(1);
  });
});
