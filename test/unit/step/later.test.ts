import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Effect } from '../../../shared/agent/config/effects.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { answerCall, type LateAnswer } from '../../../shared/agent/entrypoints/answer.ts';
import { abandonCall, runCall } from '../../../shared/agent/entrypoints/call.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import type { Later, LaterOptions } from '../../../shared/agent/tools/later.ts';
import type { ToolContext } from '../../../shared/agent/tools/tool.ts';
import {
  type Fault,
  failAfter,
  failBefore,
  justBefore,
  killAfter,
  killBefore,
} from '../../../testing/faults.ts';
import { calls, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { runCalls, settleWithCalls } from '../../support/queued-calls.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { custom, notedTool, ofType, resultsOf } from './reading.fixture.ts';

const DAY = 86_400_000;

interface Job {
  readonly effect?: Effect;
  readonly where?: 'inline' | 'queue';
  readonly approval?: 'always' | 'never';
  readonly options?: LaterOptions;
  /** Replaces the token's input. */
  readonly returns?: (later: Later) => unknown;
  /** Runs, counted from 1, that fail before they ask for a token. */
  readonly fails?: readonly number[];
  /** The immediate reaction of the outside system. */
  readonly meanwhile?: (token: string) => Promise<unknown>;
}

/** A tool that passes its work on, and its tokens. */
function exporting({
  effect = 'idempotent',
  where = 'inline',
  approval = 'never',
  options,
  returns,
  fails,
  meanwhile,
}: Job = {}) {
  const tokens: string[] = [];
  let runs = 0;
  const tool = defineTool({
    name: 'export_data',
    description: 'Exports data.',
    effect,
    where,
    approval,
    input: z.object({ n: z.number().optional() }),
    run: async (_input, context: ToolContext) => {
      if (fails?.includes(++runs)) throw new Error('the exporter is away');
      const later = await context.later(options);
      tokens.push(later.token);
      await meanwhile?.(later.token);
      return returns ? returns(later) : later;
    },
  });
  return { tool, tokens };
}

const settle = (world: SessionWorld, token: string | undefined, answer: LateAnswer) =>
  answerCall(token ?? 'none', answer, world);
const done: LateAnswer = { result: { rows: 7 } };

async function exportingWorld(job: Job = {}, also: { tools?: never[] } = {}) {
  const exports = exporting(job);
  // A lost reply is given again.
  const answer: Scripted = ({ request }) =>
    JSON.stringify(request.messages).includes('tool_result') ? says('Done.') : calls(['export_data', {}]);
  const model = scriptedModel(...Array.from({ length: 9 }, () => answer));
  const world = await sessionWorld(
    { tools: [exports.tool, ...(also.tools ?? [])], limits: { timeoutSeconds: 900 } },
    model,
  );
  await world.say('Export it.', undefined, 'user:ada');
  return { world, model, ...exports };
}

const resultIn = async (world: SessionWorld) => resultsOf(await world.slots())[0];

describe.each(['inline', 'queue'] as const)('a call that is answered later, %s', (where) => {
  test('uses no compute while it waits, and continues with the answer', async () => {
    const { world, tokens, model } = await exportingWorld({ where });
    await settleWithCalls(world);
    const { session, dueAt, fence } = await world.view();
    expect(session).toMatchObject({ state: 'waiting_for_tool', reason: 'awaiting_callback' });
    expect(dueAt).toBeUndefined();
    expect(world.queue.messages()).toEqual([]);
    expect(session.batch?.waits).toMatchObject([{ kind: 'callback', tool: 'export_data' }]);
    expect(fence.pending).toHaveLength(1);

    await world.clock.advance(DAY / 2);
    expect(await settle(world, tokens[0], done)).toBe('taken');
    await settleWithCalls(world);
    expect(await resultIn(world)).toMatchObject({ outcome: 'ok', content: '{"rows":7}', json: true });
    expect((await world.view()).session).toMatchObject({ state: 'completed' });
    expect(model.requests).toHaveLength(2);
    expect(ofType(await world.events(), 'TOOL_CALL_RESULT')).toHaveLength(1);
    expect(custom(await world.events(), 'steploop.decided')).toMatchObject([{ outcome: 'answered' }]);
  });

  test('reveals its token neither in the prompt nor in events', async () => {
    const { world, tokens, model } = await exportingWorld({
      where,
      returns: (later) => ({ sent: later.url }),
    });
    await settleWithCalls(world);
    expect(tokens).toHaveLength(1);
    expect(JSON.stringify([model.requests, await world.events(), await world.slots()])).not.toContain(
      tokens[0],
    );
    expect(await resultIn(world)).toMatchObject({ content: expect.stringContaining('[token]') });
  });

  test('counts one answer: the same again is confirmed, a different one has no effect', async () => {
    const { world, tokens } = await exportingWorld({ where });
    await settleWithCalls(world);
    expect(await settle(world, tokens[0], done)).toBe('taken');
    expect(await settle(world, tokens[0], { result: { rows: 7 } })).toBe('taken_before');
    expect(await settle(world, tokens[0], { result: 8 })).toBe('answered');
    expect(await settle(world, tokens[0], { error: 'no' })).toBe('answered');
    await settleWithCalls(world);
    expect(await settle(world, tokens[0], done)).toBe('taken_before');
    expect(await settle(world, tokens[0], { result: 8 })).toBe('answered');
    expect(await resultIn(world)).toMatchObject({ content: '{"rows":7}' });
  });

  test('is unanswered when its time is over, and a late answer is told so', async () => {
    const { world, tokens } = await exportingWorld({ where, options: { expiresAfterSeconds: 60 } });
    await settleWithCalls(world);
    expect(await resultIn(world)).toMatchObject({
      outcome: 'unknown',
      content: expect.stringMatching(/^Error \[no_answer\]/),
    });
    expect(await settle(world, tokens[0], done)).toBe('expired');
    expect((await world.view()).session.state).toBe('completed');
    expect(custom(await world.events(), 'steploop.decided')).toMatchObject([{ outcome: 'expired' }]);
  });

  test('that is answered too late does not count on a host whose clock is behind', async () => {
    const { world, tokens } = await exportingWorld({ where, options: { expiresAfterSeconds: 60 } });
    while ((await world.view()).session.reason !== 'awaiting_callback') {
      await world.step();
      if (world.queue.calls.messages().length > 0) await runCalls(world);
    }
    const now = world.clock.now();
    const at = (ms: number) => ({ ...world, clock: { ...world.clock, now: () => ms } });
    const token = tokens[0] ?? '';
    expect(await answerCall(token, done, at(now + 70_000))).toBe('expired');
    expect(await answerCall(token, done, at(now))).toBe('over');
    await settleWithCalls(world);
    expect(await resultIn(world)).toMatchObject({
      outcome: 'unknown',
      content: expect.stringContaining('no_answer'),
    });
  });

  test('that has run is not reported as not run by an owner that stood still', async () => {
    const { world, tokens } = await exportingWorld({ where, options: { expiresAfterSeconds: 60 } });
    while ((await world.view()).session.reason !== 'awaiting_callback') {
      await world.step();
      if (world.queue.calls.messages().length > 0) await runCalls(world);
    }
    const wait = (await world.view()).session.batch?.waits[0];
    if (!wait) throw new Error('nothing waits');
    const result = { callId: wait.callId, name: wait.tool, durationMs: 0 };
    const notRun = { ...result, outcome: 'cancelled', content: 'Error [cancelled]: no time left.' } as const;
    await world.later.settle(world.key, wait.id, { result: notRun });
    expect(await settle(world, tokens[0], done)).toBe('over');
    await settleWithCalls(world);
    expect(await resultIn(world)).toMatchObject({ outcome: 'unknown' });
  });

  test('is swept when its latest end has come', async () => {
    const { world } = await exportingWorld({ where, options: { expiresAfterSeconds: 7200 } });
    await settleWithCalls(world);
    await world.clock.advance(7_201_000);
    expect((await world.view()).session.state).toBe('waiting_for_tool');
    await sweep(world);
    await settleWithCalls(world);
    expect((await world.view()).session.state).toBe('completed');
  });

  test('ends with its run when that is stopped, and accepts no answer then', async () => {
    const { world, tokens } = await exportingWorld({ where });
    await settleWithCalls(world);
    expect(await cancel(world.key, world)).toBe('cancelled');
    await settleWithCalls(world);
    expect((await world.view()).session.state).toBe('cancelled');
    expect(await resultIn(world)).toMatchObject({ content: expect.stringMatching(/^Error \[cancelled\]/) });
    expect(await settle(world, tokens[0], done)).toBe('over');
  });

  test('with an answer concurrent to the stop takes it as the result, or says that it is too late', async () => {
    for (const first of ['answer', 'stop']) {
      const { world, tokens } = await exportingWorld({ where });
      await settleWithCalls(world);
      const answered = async () =>
        expect(await settle(world, tokens[0], done)).toBe(first === 'answer' ? 'taken' : 'over');
      const stopped = async () => expect(await cancel(world.key, world)).toBe('cancelled');
      if (first === 'answer') {
        await answered();
        await stopped();
        await settleWithCalls(world);
      } else {
        await stopped();
        await settleWithCalls(world);
        await answered();
      }
      expect(await resultIn(world)).toMatchObject({ outcome: first === 'answer' ? 'ok' : 'unknown' });
    }
  });

  test.each<LateAnswer>([done, { result: 'a text' }, { result: null }, { error: 'disk full' }])(
    'with an answer before its wait is open counts it: %j',
    async (answer) => {
      let world: SessionWorld | undefined;
      const meanwhile = async (token: string) => {
        if (world) expect(await settle(world, token, answer)).toBe('taken');
      };
      const made = await exportingWorld({ where, meanwhile });
      world = made.world;
      await settleWithCalls(world);
      expect((await world.view()).session.state).toBe('completed');
      expect(await resultIn(world)).toMatchObject(
        'error' in answer ? { outcome: 'error', content: 'Error [failed]: disk full' } : { outcome: 'ok' },
      );
    },
  );

  test('a message waits with it, and is read when it is answered', async () => {
    const { world, tokens } = await exportingWorld({ where });
    await settleWithCalls(world);
    await world.say('How is it going?');
    await settleWithCalls(world);
    expect((await world.view()).session.state).toBe('waiting_for_tool');
    await settle(world, tokens[0], done);
    await settleWithCalls(world);
    expect((await world.view()).session.state).toBe('completed');
    expect((await world.view()).fence.inbox).toEqual([]);
  });

  test('a token belongs to its own session only; an invalid one is unknown', async () => {
    const { world, tokens } = await exportingWorld({ where });
    await settleWithCalls(world);
    for (const token of ['', 'x', 'slt_x', `${tokens[0]}x`, '__proto__', tokens[0]?.toUpperCase()])
      expect(await settle(world, token, done)).toBe('unknown');
    world.table.heads.clear();
    expect(await settle(world, tokens[0], done)).toBe('over');
  });

  test('a deploy without the tool still accepts the answer', async () => {
    const { world, tokens } = await exportingWorld({ where });
    await settleWithCalls(world);
    world.deploy({ tools: [] });
    expect(await settle(world, tokens[0], done)).toBe('taken');
    await settleWithCalls(world);
    expect(await resultIn(world)).toMatchObject({ content: '{"rows":7}' });
  });

  test('a long answer is kept whole, and cut for the model', async () => {
    const { world, tokens } = await exportingWorld({ where });
    await settleWithCalls(world);
    const text = 'x'.repeat(200_000);
    await settle(world, tokens[0], { result: text });
    await settleWithCalls(world);
    const result = await resultIn(world);
    expect(result?.content.length).toBeLessThan(60_000);
    expect(await world.blobs.get(result?.blob ?? '')).toBe(text);
  });

  test('A18: its wait does not count against the time of the run', async () => {
    const { world, tokens } = await exportingWorld({ where });
    await settleWithCalls(world);
    await world.clock.advance(DAY / 2);
    await settle(world, tokens[0], done);
    await settleWithCalls(world);
    expect((await world.view()).session.run?.pausedMs).toBeGreaterThanOrEqual(DAY / 2);
    expect((await world.view()).session.state).toBe('completed');
  });
});

describe("the options of a tool's token", () => {
  test.each([0, -1, 2_592_001, Number.NaN])('%s seconds are refused', async (expiresAfterSeconds) => {
    const { world } = await exportingWorld({ options: { expiresAfterSeconds } });
    await settleWithCalls(world);
    expect(await resultIn(world)).toMatchObject({
      outcome: 'error',
      content: expect.stringMatching(/later\(\)/),
    });
  });

  test('a result of the tool itself stands, and its token is worthless', async () => {
    const { world, tokens } = await exportingWorld({ returns: () => 'I did it myself' });
    await settleWithCalls(world);
    expect(await resultIn(world)).toMatchObject({ outcome: 'ok', content: 'I did it myself' });
    expect(await settle(world, tokens[0], done)).toBe('over');
  });

  test("an answer that was faster than the tool's own result stands", async () => {
    let world: SessionWorld | undefined;
    const meanwhile = async (token: string) =>
      world && expect(await settle(world, token, done)).toBe('taken');
    const made = await exportingWorld({ returns: () => 'I did it myself', meanwhile });
    world = made.world;
    await settleWithCalls(world);
    expect(await resultIn(world)).toMatchObject({ content: '{"rows":7}' });
  });

  test('a long answer that was faster is cut for the model as any other, and kept whole', async () => {
    let world: SessionWorld | undefined;
    const text = 'x'.repeat(200_000);
    const meanwhile = async (token: string) => world && settle(world, token, { result: text });
    const made = await exportingWorld({ returns: () => 'I did it myself', meanwhile });
    world = made.world;
    await settleWithCalls(world);
    const result = await resultIn(world);
    expect(result?.content.length).toBeLessThan(60_000);
    expect(await world.blobs.get(result?.blob ?? '')).toBe(text);
  });

  test('people cannot decide it', async () => {
    const { world } = await exportingWorld();
    await settleWithCalls(world);
    const [wait] = (await world.view()).session.batch?.waits ?? [];
    expect(await decide(world.key, wait?.id ?? '', { approved: true, by: 'user:ada' }, world)).toBe('closed');
  });
});

describe('workers that die', () => {
  const faults: [string, Fault][] = [
    ['before it', killBefore],
    ['after it', killAfter],
    ['with its request lost', failBefore],
    ['with its answer lost', failAfter],
  ];
  const places = [
    'later.grant',
    'sessions.putSlot',
    'sessions.commit',
    'later.settled',
    'queue.send',
  ] as const;
  const table = places.flatMap((place) => faults.map(([when, fault]) => [place, when, fault] as const));

  test.each(table)(
    'at %s, %s: an idempotent call waits and accepts an answer of any of its tokens',
    async (place, _when, fault) => {
      for (const use of [0, -1]) {
        const { world, tokens } = await exportingWorld({ effect: 'idempotent' });
        world.faults.at(place, fault);
        await settleWithCalls(world);
        if (tokens.length === 0) {
          // The store refused, and the tool got the error: its result is what it makes of that.
          const content = expect.stringMatching(/later\(\): the token could not be kept/);
          expect(await resultIn(world)).toMatchObject({ outcome: 'error', content });
          continue;
        }
        expect((await world.view()).session.state).toBe('waiting_for_tool');
        expect(await settle(world, tokens.at(use), done)).toBe('taken');
        expect(await settle(world, tokens.at(-1 - use), done)).toBe('taken_before');
        await settleWithCalls(world);
        expect(await resultIn(world)).toMatchObject({ content: '{"rows":7}' });
        expect((await world.view()).session.state).toBe('completed');
      }
    },
  );

  test.each(table)('at %s, %s: a once call never starts twice', async (place, _when, fault) => {
    const { world, tokens } = await exportingWorld({ effect: 'once' });
    world.faults.at(place, fault);
    await settleWithCalls(world);
    expect(tokens.length).toBeLessThanOrEqual(1);
    const { state } = (await world.view()).session;
    const became = await settle(world, tokens[0], done);
    expect(became).toBe(state === 'waiting_for_tool' ? 'taken' : tokens[0] ? 'over' : 'unknown');
    await settleWithCalls(world);
    expect((await world.view()).session.state).toBe('completed');
  });

  test('an approved call whose step died is not run again if its answer has come', async () => {
    const { world, tokens } = await exportingWorld({ approval: 'always' });
    await world.settle();
    const [wait] = (await world.view()).session.batch?.waits ?? [];
    await decide(world.key, wait?.id ?? '', { approved: true, by: 'user:ada' }, world);
    world.faults.at('sessions.commit', killBefore);
    await world.step();
    expect(tokens).toHaveLength(1);
    expect(await settle(world, tokens[0], done)).toBe('taken');
    await settleWithCalls(world);
    expect(tokens).toHaveLength(1);
    expect(await resultIn(world)).toMatchObject({ content: '{"rows":7}' });
  });

  test('a once call whose worker died is unknown, unless its answer had come', async () => {
    for (const answers of [false, true]) {
      let world: SessionWorld | undefined;
      const meanwhile = async (token: string) => {
        if (world && answers) await settle(world, token, done);
        return world?.kill();
      };
      const made = await exportingWorld({ effect: 'once', meanwhile });
      world = made.world;
      await settleWithCalls(world);
      expect(made.tokens).toHaveLength(1);
      expect(await resultIn(world)).toMatchObject(
        answers ? { outcome: 'ok', content: '{"rows":7}' } : { outcome: 'unknown' },
      );
      expect(await settle(world, made.tokens[0], done)).toBe(answers ? 'taken_before' : 'over');
    }
  });

  test.each(['once', 'idempotent'] as const)(
    'an answer that dies before its wake: the same again wakes (%s)',
    async (effect) => {
      const { world, tokens } = await exportingWorld({ effect });
      await settleWithCalls(world);
      const { ports } = world.faults.host(world);
      world.faults.at('queue.send', failBefore);
      await expect(answerCall(tokens[0] ?? '', done, ports)).rejects.toThrow();
      expect(await settle(world, tokens[0], done)).toBe('taken_before');
      await settleWithCalls(world);
      expect((await world.view()).session.state).toBe('completed');
    },
  );

  test('an answer that dies before it has found the wait: the step that opens it, or the same again, finds it', async () => {
    const { world, tokens } = await exportingWorld();
    await settleWithCalls(world);
    const { ports } = world.faults.host(world);
    world.faults.at('sessions.read', failBefore);
    await expect(answerCall(tokens[0] ?? '', done, ports)).rejects.toThrow();
    await world.say('Hello?');
    await settleWithCalls(world);
    expect((await world.view()).session.state).toBe('completed');
  });

  test('an answer while a step owns the session counts, and is not missed', async () => {
    const { world, tokens } = await exportingWorld();
    await settleWithCalls(world);
    await world.say('How is it going?');
    // Just before the step that was woken without work makes the session idle again.
    world.faults.at(
      'sessions.commit',
      justBefore(async () => void (await settle(world, tokens[0], done))),
    );
    await settleWithCalls(world);
    expect((await world.view()).session.state).toBe('completed');
  });

  test('a queued once call whose worker died with a token out is unknown, or answered', async () => {
    for (const answers of [false, true]) {
      let world: SessionWorld | undefined;
      const meanwhile = async (token: string) => {
        if (world && answers) await settle(world, token, done);
        return new Promise(() => {});
      };
      const made = await exportingWorld({ effect: 'once', where: 'queue', meanwhile });
      world = made.world;
      await world.settle();
      const taken = world.queue.calls.receive();
      if (!taken) throw new Error('no call is queued');
      const invocation = { id: 'w1', message: taken.handle, deadlineAt: world.clock.now() + 60_000 };
      const { host, ports } = world.faults.host(world);
      void runCall(taken.wake, invocation, world.agentOf, ports);
      await world.clock.advance(10);
      expect(made.tokens).toHaveLength(1);
      host.freeze();
      await world.clock.advance(120_000);
      const late = { id: 'w2', message: taken.handle, deadlineAt: world.clock.now() + 60_000 };
      await abandonCall(taken.wake, late, world);
      world.queue.calls.delete(taken.handle);
      await settleWithCalls(world);
      expect(await resultIn(world)).toMatchObject({ outcome: answers ? 'ok' : 'unknown' });
    }
  });

  test('the answer to a queued call whose worker died stands if its run is stopped', async () => {
    const { world, tokens } = await exportingWorld({
      where: 'queue',
      meanwhile: () => new Promise(() => {}),
    });
    await world.settle();
    const taken = world.queue.calls.receive();
    if (!taken) throw new Error('no call is queued');
    const { host, ports } = world.faults.host(world);
    const invocation = { id: 'w1', message: taken.handle, deadlineAt: world.clock.now() + 60_000 };
    void runCall(taken.wake, invocation, world.agentOf, ports);
    await world.clock.advance(10);
    host.freeze();
    expect(await settle(world, tokens[0], done)).toBe('taken');
    await cancel(world.key, world);
    await world.settle();
    expect(await resultIn(world)).toMatchObject({ outcome: 'ok', content: '{"rows":7}' });
  });

  describe.each(['before', 'after'] as const)(
    'an answer %s the next run has failed without a token',
    (when) => {
      /** The outcome of the answer is the outcome of the call. */
      const agrees = async (world: SessionWorld, became: string) => {
        await settleWithCalls(world);
        expect(became).toBe(when === 'before' ? 'taken' : 'over');
        const content = when === 'before' ? '{"rows":7}' : expect.stringContaining('the exporter is away');
        expect(await resultIn(world)).toMatchObject({ content });
        expect((await world.view()).session.state).toBe('completed');
      };

      test('is the result of a queued call, or is told that it is too late', async () => {
        const { world, tokens } = await exportingWorld({
          where: 'queue',
          fails: [2],
          meanwhile: () => new Promise(() => {}),
        });
        await world.settle();
        const taken = world.queue.calls.receive();
        if (!taken) throw new Error('no call is queued');
        const { host, ports } = world.faults.host(world);
        const invocation = { id: 'w1', message: taken.handle, deadlineAt: world.clock.now() + 60_000 };
        void runCall(taken.wake, invocation, world.agentOf, ports);
        await world.clock.advance(10);
        host.freeze();
        const early = when === 'before' && (await settle(world, tokens[0], done));
        await world.clock.advance(120_000);
        const next = { id: 'w2', message: taken.handle, deadlineAt: world.clock.now() + 60_000 };
        await runCall(taken.wake, next, world.agentOf, world);
        world.queue.calls.delete(taken.handle);
        await agrees(world, early || (await settle(world, tokens[0], done)));
      });

      test('is the result of a call whose step died, or is told that it is too late', async () => {
        const { world, tokens } = await exportingWorld({ fails: [2] });
        world.faults.at('sessions.commit', killBefore);
        await world.step();
        expect(tokens).toHaveLength(1);
        const early = when === 'before' && (await settle(world, tokens[0], done));
        let late = '';
        world.faults.at(
          'sessions.commit',
          justBefore(async () => {
            if (!early) late = await settle(world, tokens[0], done);
          }),
        );
        await agrees(world, early || (await settleWithCalls(world).then(() => late)));
      });
    },
  );

  test('an answer that a step found before its giver looked for the wait is confirmed', async () => {
    const { world, tokens } = await exportingWorld({ where: 'queue' });
    await world.settle();
    await runCalls(world);
    const read = async (key: SessionWorld['key']) => {
      await world.settle();
      return world.sessions.read(key);
    };
    const io = { ...world, sessions: { ...world.sessions, read } };
    expect(await answerCall(tokens[0] ?? '', done, io)).toBe('taken');
    expect(await resultIn(world)).toMatchObject({ outcome: 'ok', content: '{"rows":7}' });
  });

  test('the new owner of a waiting batch emits all its results again, after the committed frames', async () => {
    const exports = exporting();
    const model = scriptedModel(calls(['look', {}], ['export_data', {}]), says('Done.'));
    const world = await sessionWorld({ tools: [notedTool('look', 'read').tool, exports.tool] }, model);
    await world.say('Go.');
    await world.settle();
    await settle(world, exports.tokens[0], done);
    world.faults.at('sessions.claim', killAfter);
    await world.step();
    await settleWithCalls(world);
    const events = await world.events();
    const last = events.findLastIndex(({ type }) => type === 'MESSAGES_SNAPSHOT');
    expect(last).toBeGreaterThan(-1);
    expect(ofType(events.slice(last), 'TOOL_CALL_RESULT').map(({ content }) => content)).toEqual([
      'look done',
      '{"rows":7}',
    ]);
  });
});

describe('a batch with all kinds of waits', () => {
  test('asks first, then runs the queue, then waits for answers; each call has its one result, in order', async () => {
    const exports = exporting({ effect: 'once' });
    const read = notedTool('look', 'read');
    const pay = notedTool('pay', 'once');
    const slow = { ...notedTool('slow', 'idempotent').tool, where: 'queue' as const };
    const slowLater = { ...exporting({ where: 'queue' }).tool, name: 'slow_later' };
    const other = exporting();
    const model = scriptedModel(
      calls(['look', {}], ['export_data', {}], ['pay', {}], ['slow', {}], ['slow_later', {}], ['other', {}]),
      says('Done.'),
    );
    const world = await sessionWorld(
      {
        tools: [
          read.tool,
          exports.tool,
          { ...pay.tool, approval: 'always' },
          slow,
          slowLater,
          { ...other.tool, name: 'other' },
        ],
      },
      model,
    );
    await world.say('Go.');
    await world.settle();
    const waits = async () => (await world.view()).session.batch?.waits ?? [];
    expect(exports.tokens).toEqual([]);
    expect(await waits()).toMatchObject([{ kind: 'approval' }]);
    await decide(world.key, (await waits())[0]?.id ?? '', { approved: true, by: 'user:ada' }, world);
    await world.settle();
    expect((await waits()).map(({ kind }) => kind)).toEqual(['call', 'call']);
    expect(await settle(world, exports.tokens[0], { result: 'first' })).toBe('taken');
    await settleWithCalls(world);
    expect((await waits()).map(({ kind, tool }) => `${kind} ${tool}`)).toEqual([
      'callback slow_later',
      'callback other',
    ]);
    expect(await settle(world, other.tokens[0], { result: 'third' })).toBe('taken');
    await settleWithCalls(world);
    expect(await waits()).toHaveLength(2);
    await world.clock.advance(DAY + 1000);
    await sweep(world);
    await settleWithCalls(world);
    const results = resultsOf(await world.slots());
    expect(results.map(({ name, outcome, content }) => [name, outcome, content.slice(0, 12)])).toEqual([
      ['look', 'ok', expect.anything()],
      ['export_data', 'ok', 'first'],
      ['pay', 'ok', expect.anything()],
      ['slow', 'ok', expect.anything()],
      ['slow_later', 'unknown', expect.stringMatching(/^Error \[no_an/)],
      ['other', 'ok', 'third'],
    ]);
    expect(pay.keys).toHaveLength(1);
    const told = ofType(await world.events(), 'TOOL_CALL_RESULT').map(({ toolCallId }) => toolCallId);
    expect(new Set(told).size).toBe(told.length);
    expect(told).toHaveLength(6);
  });
});

test('an answer stands over what a stalled worker has stored, also in later steps of its batch', async () => {
  const exports = exporting();
  const other = exporting({ where: 'queue' });
  const model = scriptedModel(calls(['export_data', {}], ['other', {}]), says('Done.'));
  const tools = [exports.tool, { ...other.tool, name: 'other' }];
  const world = await sessionWorld({ tools }, model);
  await world.say('Go.');
  await world.settle();
  const { batch } = (await world.view()).session;
  const callId = batch?.deferred?.[0]?.callId ?? '';
  const late = { name: 'export_data', outcome: 'error', content: 'too slow', durationMs: 1 } as const;
  await world.sessions.putResult(world.key, batch?.slot ?? 0, { callId, ...late });
  expect(await settle(world, exports.tokens[0], done)).toBe('taken');
  await settleWithCalls(world);
  expect((await world.view()).session.batch?.waits).toMatchObject([{ kind: 'callback', tool: 'other' }]);
  expect(await settle(world, other.tokens[0], { result: 'second' })).toBe('taken');
  await settleWithCalls(world);
  const results = resultsOf(await world.slots());
  expect(results.map(({ content }) => content)).toEqual(['{"rows":7}', 'second']);
  expect(results.some((result) => 'late' in result)).toBe(false);
});

test('a call that took too long gives no token out afterwards: its answer would not be read', async () => {
  let world: SessionWorld | undefined;
  let asked: Promise<string> | undefined;
  const slow = defineTool({
    name: 'slow',
    description: 'Takes its time, whatever it is told.',
    effect: 'idempotent',
    timeoutSeconds: 1,
    approval: 'never',
    input: z.object({}),
    run: async (_input, context: ToolContext) => {
      await world?.clock.sleep(60_000);
      asked = context.later().then(
        () => 'given out',
        () => 'refused',
      );
      return asked;
    },
  });
  world = await sessionWorld({ tools: [slow] }, scriptedModel(calls(['slow', {}]), says('Done.')));
  await world.say('Go.');
  await world.settle();
  expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'error' }]);
  await world.clock.advance(60_000);
  expect(await asked).toBe('refused');
  expect(world.table.grants.size).toBe(0);
});
