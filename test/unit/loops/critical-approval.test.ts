import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../../shared/agent/define/agent.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import { defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import { killAfter, killBefore } from '../../../testing/faults.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { notedTool, ofType, tool } from '../step/reading.fixture.ts';
import { type Guardrails, loop, read, times } from './loops.fixture.ts';

const off = { warn: 0, block: 0, halt: 0 };
const watching = (window: object = {}): Guardrails => ({
  preset: 'praisonai-current',
  loop: { counts: { idempotent: off, mutating: off }, noProgress: { warn: 0, halt: 0 }, window },
});
const same = { path: 'a' };

/** A run that makes the same call until it is critical, and `after` it once more; a client is subscribed. */
async function critical({
  guardrails = watching(),
  after = 1,
  attended = true,
  more = {},
}: {
  guardrails?: Guardrails;
  after?: number;
  attended?: boolean;
  more?: Partial<AgentDefinition>;
} = {}) {
  const noted = notedTool('read_file', 'read');
  const world = await loop(
    { tools: [noted.tool], guardrails, ...more },
    ...times(20 + after, 'read_file', same),
  );
  if (attended) await world.sessions.subscribe(world.key, 'browser');
  await world.settle();
  return { world, ran: noted.keys };
}

const asked = async (world: SessionWorld) =>
  ofType(await world.events(), 'RUN_FINISHED').flatMap(({ outcome }) =>
    outcome.type === 'interrupt' ? outcome.interrupts : [],
  );
const decideOn = async (world: SessionWorld, approved: boolean, note?: string) => {
  const id = (await asked(world)).at(-1)?.id ?? '';
  await decide(world.key, id, { approved, by: 'user:ann', ...(note && { note }) }, world);
  await world.settle();
};

describe('L15: a person decides on a critical pattern, if one is there', () => {
  test('L15: the 20th call has not run, and the person reads what it is and why it needs approval', async () => {
    const { world, ran } = await critical();
    expect(ran).toHaveLength(19);
    expect((await world.view()).session).toMatchObject({
      state: 'waiting_for_input',
      reason: 'awaiting_approval',
    });
    expect(await asked(world)).toMatchObject([
      {
        reason: 'approval',
        message: 'read_file\n(read_file was called 20 times with the same arguments.)\npath: "a"',
      },
    ]);
  });

  test('L15: after an approval the next call is clean: the count of that call restarts', async () => {
    const { world, ran } = await critical({ after: 9 });
    await decideOn(world, true);
    const { results, codes, end } = await read(world);
    expect(ran).toHaveLength(29);
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(29).fill('ok'));
    // 10 to 19 warn, 20 was critical; of the nine after it the last is the tenth since then.
    expect(codes.filter((code) => code === 'warn generic_repeat_warning')).toHaveLength(11);
    expect(codes.at(-1)).toBe('warn generic_repeat_warning');
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('L15: an approval of one call does not apply to another one', async () => {
    const both = () => [calls(['read_file', same]), calls(['read_file', { path: 'b' }])];
    const noted = notedTool('read_file', 'read');
    const script = Array.from({ length: 14 }, both).flat();
    const world = await loop(
      { tools: [noted.tool], guardrails: watching({ critical: 11, warn: 9 }) },
      ...script,
    );
    await world.sessions.subscribe(world.key, 'browser');
    await world.settle();
    await decideOn(world, true);
    expect((await asked(world)).map(({ message }) => message?.split('\n').at(-1))).toEqual([
      'path: "a"',
      'path: "b"',
    ]);
  });

  test('L15: a denied call is refused, and the model reads why', async () => {
    const { world, ran } = await critical({ after: 0 });
    await decideOn(world, false, 'Use the index.');
    expect(ran).toHaveLength(19);
    expect((await read(world)).results.at(-1)).toMatchObject({
      outcome: 'refused',
      content: expect.stringContaining('Use the index.'),
    });
  });

  test('L15: after a denial the same call does not ask again, but another one does', async () => {
    const noted = notedTool('read_file', 'read');
    const script = [...times(23, 'read_file', same), ...times(12, 'read_file', { path: 'b' })];
    const world = await loop(
      { tools: [noted.tool], guardrails: watching({ warn: 9, critical: 11 }) },
      ...script,
    );
    await world.sessions.subscribe(world.key, 'browser');
    await world.settle();
    await decideOn(world, false);
    expect(await asked(world)).toHaveLength(2);
    expect((await asked(world)).at(-1)?.message).toContain('path: "b"');
    expect((await read(world)).results.slice(10)).toMatchObject([
      ...Array(13).fill({ outcome: 'refused' }),
      ...Array(10).fill({ outcome: 'ok' }),
    ]);
  });

  test('L15: a missing decision is a refusal, in the words of the guard', async () => {
    const { world, ran } = await critical({ after: 0 });
    await world.clock.advance(86_400_001);
    await sweep(world);
    await world.settle();
    expect(ran).toHaveLength(19);
    const { results, end } = await read(world);
    expect(JSON.parse(results.at(-1)?.content ?? '')).toMatchObject({
      error: expect.stringContaining('20 times'),
      loop_blocked: true,
    });
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('L15: without a person no approval is asked', async () => {
    const { world, ran } = await critical({ attended: false });
    expect(await asked(world)).toEqual([]);
    expect(ran).toHaveLength(19);
    expect((await read(world)).results.slice(-2)).toMatchObject([
      { outcome: 'refused' },
      { outcome: 'refused' },
    ]);
  });

  test('L15: never asks, even with subscribers; always asks, even without', async () => {
    const never = await critical({ guardrails: watching({ approval: 'never' }) });
    expect(await asked(never.world)).toEqual([]);
    const always = await critical({ guardrails: watching({ approval: 'always' }), attended: false });
    expect(await asked(always.world)).toHaveLength(1);
  });

  test('L15: a session with a channel of its own is attended', async () => {
    const noted = notedTool('read_file', 'read');
    const model = scriptedModel(...times(20, 'read_file', same));
    const world = await sessionWorld({ tools: [noted.tool], guardrails: watching() }, model, {
      outbound: true,
    });
    await world.say('go');
    await world.settle();
    expect(await asked(world)).toHaveLength(1);
  });

  test('L15: a call that another guard refuses as well is refused without asking', async () => {
    const guardrails: Guardrails = {
      preset: 'praisonai',
      loop: {
        counts: { idempotent: { warn: 0, block: 20, halt: 0 } },
        noProgress: { warn: 0, halt: 0 },
        window: { detectors: ['generic_repeat'], approval: 'always' },
      },
    };
    const { world, ran } = await critical({ guardrails });
    expect(await asked(world)).toEqual([]);
    expect(ran).toHaveLength(19);
  });

  test('L15: a call that cannot run does not ask', async () => {
    const world = await loop(
      { tools: [tool('other')], guardrails: watching() },
      ...times(20, 'read_file', same),
    );
    await world.sessions.subscribe(world.key, 'browser');
    await world.settle();
    expect(await asked(world)).toEqual([]);
  });

  test.each([killBefore, killAfter])(
    'L15: a worker that dies during an approved call counts nothing twice',
    async (kill) => {
      const { world, ran } = await critical({ after: 9 });
      world.faults.at('sessions.commit', kill);
      await decideOn(world, true);
      const { results, slice } = await read(world);
      expect(results).toHaveLength(29);
      expect(ran.length).toBeGreaterThanOrEqual(29);
      expect((slice('window').seen as unknown[]).length).toBe(10);
    },
  );
});

describe('a guard of a user may ask as well', () => {
  const careful = defineGuard<{ refunds: number }>({
    name: 'careful',
    scope: 'run',
    initial: { refunds: 0 },
    hooks: {
      call: ({ refunds }) =>
        refunds < 1
          ? { state: { refunds: refunds + 1 } }
          : {
              verdict: {
                kind: 'block',
                code: 'refunds',
                message: 'The second refund of a run.\nto: "bob"',
                ask: 'always',
              },
            },
      decided: (state, { approved }) => ({ state: approved ? { refunds: 0 } : state }),
    },
  });

  test('it asks in one line, runs once it is allowed, and the guard learns of it', async () => {
    const refund = notedTool('refund', 'once');
    const world = await loop(
      { tools: [{ ...refund.tool, approval: 'never' }], guards: [careful] },
      calls(['refund', { order: 1 }]),
      calls(['refund', { order: 2 }]),
      calls(['refund', { order: 3 }]),
      says('Three refunds.'),
    );
    await world.settle();
    expect(refund.keys).toHaveLength(1);
    const [interrupt] = await asked(world);
    expect(interrupt?.message?.split('\n')).toEqual([
      'refund',
      expect.stringMatching(/^\(The second refund of a run\..*\)$/),
      'order: 2',
    ]);
    await decideOn(world, true);
    expect(refund.keys).toHaveLength(3);
    expect((await read(world)).end).toMatchObject({ state: 'completed' });
  });
});
