/** Progress of calls that no step runs: calls of the queue, and calls that are answered later. */

import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../functions/middleware/problem.ts';
import { postProgress } from '../../../functions/routes/progress.ts';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { answerCall } from '../../../shared/agent/entrypoints/answer.ts';
import { runCall } from '../../../shared/agent/entrypoints/call.ts';
import { frameBeside } from '../../../shared/agent/events/beside.ts';
import { catchUp } from '../../../shared/agent/events/catch-up.ts';
import { MOST_TOLD } from '../../../shared/agent/ports/callbacks.ts';
import type { Wait } from '../../../shared/agent/session/waits.ts';
import type { AgUiEvent, Frame } from '../../../shared/contract/events.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { startReading } from '../../../web/client/reading.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { custom, tool } from './reading.fixture.ts';

/** Frames that were pushed to a connection, in order. */
const pushedTo = (world: SessionWorld, connection: string): Frame[] =>
  world.sockets.sent.flatMap(({ connectionId, data }) =>
    connectionId === connection ? (JSON.parse(data).frames as Frame[]) : [],
  );
const logOf = async (world: SessionWorld): Promise<Frame[]> =>
  (await catchUp(world.key, 0, 1_000, world)) ?? [];
const told = (frames: readonly Frame[]) =>
  custom(
    frames.map(({ event }) => event),
    'steploop.progress',
  ).map(({ message, share }) => [message, share]);

/** A client's view of frames: the AG-UI events, and the progress beside them. */
function read(frames: readonly Frame[]) {
  const reading = startReading({ sessionId: 's1', after: 0 });
  reading.take(frames);
  const line: AgUiEvent[] = [];
  const aside: Frame[] = [];
  for (let next = reading.next(); next?.kind === 'tell'; next = reading.next()) {
    line.push(...next.events);
    if (next.events.length === 0) aside.push(next.frame);
  }
  return { line, aside, held: reading.order.held };
}

const runs = (line: readonly AgUiEvent[]) =>
  line.flatMap(({ type }) => (type.startsWith('RUN_') ? [type] : []));

test('its frame number rises, is after the commit’s and before the next step’s, and is not assigned if none is left', () => {
  const waits = [{ expiresAt: 61_000 }, { expiresAt: 11_000 }] as unknown as Wait[];
  const session = { eventSeq: 3_000_040, batch: { slot: 1, since: 1_000, waits } };
  const value = { toolCallId: 'c1', message: 'm' };
  const seqs = [-5_000, 1_000, 2_000, 31_000, 60_999, 61_000, 90_000].map(
    (now) => frameBeside(session, value, now)?.seq,
  );
  expect(seqs).toEqual([3_000_041, 3_000_041, 3_016_705, 3_500_019, 3_999_982, 3_999_999, 3_999_999]);
  expect(frameBeside(session, value, 2_000, 3_400_000)).toMatchObject({ seq: 3_400_001, prev: 3_000_040 });
  expect(frameBeside(session, value, 90_000, 3_999_999)).toBeUndefined();
  expect(frameBeside({ eventSeq: 3_000_040 }, value, 2_000)).toBeUndefined();
});

describe('a call of the queue', () => {
  const world = async () => {
    const works = tool(
      'works',
      async (_input, { progress }) => {
        progress('page 1 of 9', 0.1);
        await Promise.resolve();
        progress('all pages', 1);
        progress('all pages, again and again', 1);
        return 'done';
      },
      { where: 'queue' },
    );
    const made = await sessionWorld({ tools: [works] }, scriptedModel(calls(['works', {}]), says('Done.')));
    await made.say('Work.');
    await made.sessions.subscribe(made.key, 'phone');
    await made.settle();
    return made;
  };
  const work = async (made: SessionWorld) => {
    const taken = made.queue.calls.receive();
    if (!taken) throw new Error('no call is queued');
    const deadlineAt = made.clock.now() + 900_000;
    await runCall(taken.wake, { id: 'w', message: taken.handle, deadlineAt }, made.agentOf, made);
  };

  test('is sent live and logged, the last report in any case, and the run continues in one line', async () => {
    const made = await world();
    await work(made);
    const words = [
      ['page 1 of 9', 0.1],
      ['all pages', 1],
    ];
    expect(told(pushedTo(made, 'phone'))).toEqual(words);
    expect(told(await logOf(made))).toEqual(words);
    await made.settle();
    for (const frames of [await logOf(made), pushedTo(made, 'phone')]) {
      const { line, aside, held } = read(frames);
      expect([aside, held]).toEqual([[], []]);
      expect(custom(line, 'steploop.progress').at(-1)).toMatchObject({ message: 'all pages', share: 1 });
    }
    expect(runs(read(await logOf(made)).line)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    expect(JSON.stringify(made.model.requests)).not.toContain('all pages');
  });

  test('drops a disconnected client, and the call continues if nothing can be sent', async () => {
    const made = await world();
    made.sockets.answer('phone', 'gone');
    made.log.append = () => Promise.reject(new Error('the log is away'));
    await work(made);
    expect((await made.view()).fence.subscribers).toEqual([]);
    expect((await made.view()).fence.pending).toEqual([]);
  });
});

describe('POST /callbacks/{token}/progress', () => {
  const world = async () => {
    const tokens: string[] = [];
    const waits = tool('waits', async (_input, { later }) => {
      const answer = await later({ expiresAfterSeconds: 3_600 });
      tokens.push(answer.token);
      return answer;
    });
    const made = await sessionWorld({ tools: [waits] }, scriptedModel(calls(['waits', {}]), says('Done.')));
    await made.say('Wait.');
    await made.settle();
    await made.sessions.subscribe(made.key, 'phone');
    const post = async (body: unknown, token = tokens[0]) => {
      const event = { body: JSON.stringify(body), pathParameters: { token }, headers: {} };
      try {
        const { statusCode, body: answered } = await postProgress(
          event as unknown as APIGatewayProxyEventV2,
          made,
        );
        return [statusCode, JSON.parse(answered ?? '')];
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return [error.problem.status, error.problem.title, error.problem.detail, error.headers];
      }
    };
    return { made, post, token: tokens[0] ?? '' };
  };
  const tooLate = (why: RegExp) => [410, 'Too late', expect.stringMatching(why), {}];
  const half = { message: 'half of it', share: 0.5 };

  test('reaches subscribers, between two runs, at most once a second, and the token stays valid', async () => {
    const { made, post, token } = await world();
    const before = await made.view();
    expect(await post(half)).toEqual([202, { result: 'told' }]);
    expect(await post(half)).toMatchObject([
      429,
      'Too often',
      expect.stringMatching(/once a second/),
      { 'retry-after': '1' },
    ]);
    await made.clock.advance(1_000);
    expect(await post({ message: `nearly, says ${token}` })).toEqual([202, { result: 'told' }]);
    expect(told(pushedTo(made, 'phone'))).toEqual([
      ['half of it', 0.5],
      ['nearly, says [token]', undefined],
    ]);
    expect(await made.view()).toEqual(before);

    expect(await answerCall(token, { result: 7 }, made)).toBe('taken');
    await made.settle();
    const { line, aside, held } = read(await logOf(made));
    expect([told(aside).length, held]).toEqual([2, []]);
    expect(runs(line)).toEqual(['RUN_STARTED', 'RUN_FINISHED', 'RUN_STARTED', 'RUN_FINISHED']);
    expect(JSON.stringify(made.model.requests)).not.toContain('half of it');
  });

  test('is refused as an answer is: for an invalid token, an answered or expired call, or a stopped run', async () => {
    const { made, post, token } = await world();
    const unknown = await post(half, 'slt_nobody');
    expect(unknown.slice(0, 2)).toEqual([404, 'No such callback']);
    for (const one of ['', '__proto__', `${token} `]) expect(await post(half, one)).toEqual(unknown);
    await answerCall(token, { result: 7 }, made);
    expect(await post(half)).toEqual(tooLate(/different answer/));

    const stopped = await world();
    await cancel(stopped.made.key, stopped.made);
    expect(await stopped.post(half)).toEqual(tooLate(/run was stopped/));
    await stopped.made.settle();
    expect(await stopped.post(half)).toEqual(tooLate(/run was stopped/));

    const late = await world();
    await late.made.clock.advance(3_600_000);
    expect(await late.post(half)).toEqual(tooLate(/time for an answer is over/));
    expect(told(pushedTo(late.made, 'phone'))).toEqual([]);
  });

  test('is bounded in its text and in its rate', async () => {
    const { made, post, token } = await world();
    for (const body of [{}, { message: '' }, { message: 'x'.repeat(501) }, { message: 'x', share: 2 }, 'x'])
      expect((await post(body)).slice(0, 2)).toEqual([400, 'Invalid body']);
    expect((await post({ message: 'x'.repeat(5_000) })).slice(0, 2)).toEqual([413, 'Body too large']);
    const { told: counts } = made.table;
    await post(half);
    const [hash] = counts.keys();
    counts.set(String(hash), { at: 0, count: MOST_TOLD });
    expect(await post(half)).toMatchObject([
      429,
      'Too many',
      expect.stringMatching(/The answer is still accepted/),
      {},
    ]);
    expect(await answerCall(token, { result: 7 }, made)).toBe('taken');
  });
});
