import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { accept, cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { messagesOf } from '../../../shared/agent/events/snapshot.ts';
import { defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import { filesOf } from '../../../testing/files.ts';
import { calls, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { custom, endings, ofType, tool } from './reading.fixture.ts';
import { type Definition, drive, read, sameWhenKilled } from './rows.fixture.ts';

/** A shell that knows one command: it passes when `a.ts` says so. */
const bash = (more: Parameters<typeof tool>[2] = {}) =>
  tool(
    'bash',
    async (_input, { services: { workspace } }) => {
      const said = new TextDecoder().decode(await workspace.read('a.ts'));
      const exitCode = said.includes('good') ? 0 : 1;
      return { exitCode, stdout: 'x'.repeat(2_000), stderr: `a.ts is ${exitCode === 0 ? 'good' : 'bad'}` };
    },
    { effect: 'idempotent', drafts: true, evidence: { shell: true, workspace: true }, ...more },
  );
const write = tool(
  'write',
  async ({ text }, { services: { workspace } }) => workspace.write('a.ts', String(text)),
  { effect: 'idempotent', drafts: true, evidence: { workspace: true }, touches: () => ['a.ts'] },
);
const look = tool('look');

const definition = (verify: object = {}, more: Definition = {}): Definition => ({
  tools: [write, look, bash()],
  guardrails: { preset: 'hamr', verify: { command: 'npm test', ...verify } },
  ...more,
});
const writes = (text: string): Scripted => calls(['write', { text }]);
const completed = { state: 'completed', reason: 'completed' };
const failed = { state: 'error', reason: 'verification_failed' };

describe('H18: the repair loop', () => {
  test('H18: failing tests are repaired, and the run is complete', async () => {
    const script = [writes('bad'), says('It works.'), writes('good'), says('Now it works.')];
    const { end, told, internals, asked, slots } = await drive(definition(), script);
    expect({ end, told, asked }).toEqual({ end: { ...completed, steps: 4 }, told: ['repair'], asked: 4 });
    expect(internals[0]?.text).toContain('a.ts is bad');
    expect(internals[0]?.text.length).toBeLessThan(1_500);
    expect(slots.flatMap((slot) => (slot.kind === 'tools' && slot.made ? slot.results : []))).toMatchObject([
      { name: 'bash', exitCode: 1 },
      { name: 'bash', exitCode: 0 },
    ]);
  });

  test('H18: a failure after the repair ends the run as verification_failed', async () => {
    const script = [writes('bad'), says('It works.'), writes('worse'), says('Now it works.')];
    const { end, told, events } = await drive(definition(), script);
    expect({ end, told }).toEqual({ end: { ...failed, steps: 4 }, told: ['repair'] });
    expect(endings(events)[0]).toMatchObject({
      guard: 'command',
      code: 'verification_failed',
      success: false,
    });
  });

  test('H18: a repair without a change is none, and no command runs for it', async () => {
    const { end, slots } = await drive(definition(), [
      writes('bad'),
      says('It works.'),
      says('It does work.'),
    ]);
    expect(end).toEqual({ ...failed, steps: 3 });
    expect(slots.filter((slot) => slot.made)).toHaveLength(2);
  });

  test('H18: a repair has half of the calls of a run, and eight at least', async () => {
    const many = Array.from({ length: 9 }, (_, i) => calls(['look', { i }]));
    const script = [writes('bad'), says('It works.'), ...many];
    const { end, events } = await drive(definition({}, { limits: { maxToolCalls: 12 } }), script);
    expect(end).toMatchObject(failed);
    expect(endings(events)[0]).toMatchObject({ guard: 'command', code: 'repair_calls' });
    const enough = [...many.slice(0, 7), writes('good'), says('Now it works.')];
    const fine = await drive(definition({}, { limits: { maxToolCalls: 12 } }), [
      writes('bad'),
      says('It works.'),
      ...enough,
    ]);
    expect(fine.end).toMatchObject(completed);
  });

  test('H18: nothing runs if nothing has changed', async () => {
    const { end, slots } = await drive(definition(), [calls(['look', {}]), says('It is a module.')]);
    expect(end).toMatchObject(completed);
    expect(slots.filter((slot) => slot.made)).toEqual([]);
  });

  test('H18: an answer that stays cut is verified, too', async () => {
    const cut = says('It works, and', { stop: 'max_tokens' });
    const { end, slots } = await drive(
      definition({}, { guardrails: { verify: { command: 'npm test' }, truncation: { max: 0 } } }),
      [writes('good'), cut],
    );
    expect(end).toEqual({ state: 'completed', reason: 'completed_truncated', steps: 2 });
    expect(slots.filter((slot) => slot.kind === 'tools' && slot.made)).toHaveLength(1);
  });

  test("an answer object is the run's result, also if its command has run since", async () => {
    const answers = definition({}, { answer: z.object({ done: z.boolean() }) });
    const { events } = await drive(answers, [writes('good'), says('{"done":true}')]);
    expect(endings(events)).toMatchObject([{ success: true, object: { done: true } }]);
  });

  test('H18: it runs again if files have changed since it has passed', async () => {
    const { end, slots, world } = await drive(definition(), [writes('good'), says('It works.')]);
    world.model.answer(writes('good too'), says('Better.'));
    await world.say('And make it better.');
    await world.settle();
    expect(end).toMatchObject(completed);
    expect(slots.filter((slot) => slot.kind === 'tools' && slot.made)).toHaveLength(1);
    expect((await world.slots()).filter((slot) => slot.kind === 'tools' && slot.made)).toHaveLength(2);
  });

  test('H4: only the command satisfies a contract for a verification, no text or call of the model', async () => {
    const verified = definition({ mode: 'verify' });
    const { end, slots } = await drive(verified, [
      writes('good'),
      calls(['bash', { command: 'npm test' }]),
      says('It passes.'),
    ]);
    expect(end).toMatchObject(completed);
    expect(slots.filter((slot) => slot.kind === 'tools' && slot.made)).toHaveLength(1);
  });

  test('H4: files that only a command has named do not count as changed', async () => {
    const { told } = await drive(
      { tools: [bash()], guardrails: { preset: 'hamr', verify: { contract: 'files_changed' } } },
      [calls(['bash', { command: 'echo good > a.ts' }]), ...Array(6).fill(says('I have written it.'))],
    );
    expect(told).toEqual(Array(5).fill('wants_files_changed'));
  });

  test('people see it as a verification, and the model does not see it', async () => {
    const { events, slots, world } = await drive(definition(), [
      writes('bad'),
      says('It works.'),
      writes('good'),
      says('Now it works.'),
    ]);
    expect(custom(events, 'steploop.guard').filter(({ action }) => action === 'check')).toMatchObject([
      { guard: 'command', code: 'verifying', message: 'The system runs the verification: npm test' },
      { guard: 'command', code: 'verifying' },
    ]);
    const shown = slots.flatMap(messagesOf).filter((message) => 'made' in message);
    expect(shown).toMatchObject([
      { role: 'assistant', made: 'check', toolCalls: [{ function: { name: 'bash' } }] },
      { role: 'assistant', made: 'check' },
    ]);
    expect(
      ofType(events, 'TOOL_CALL_START').filter(({ toolCallName }) => toolCallName === 'bash'),
    ).toHaveLength(2);
    expect(JSON.stringify(world.model.requests.map(({ messages }) => messages))).not.toContain(
      'tool_use","id":"s',
    );
    expect(JSON.stringify(world.model.requests.at(-1)?.messages)).not.toContain('"name":"bash"');
  });

  test('a command of the queue is waited for without compute, and counts in the same way', async () => {
    const queued = definition({}, { tools: [write, look, bash({ where: 'queue' })] });
    const script = [writes('bad'), says('It works.'), writes('good'), says('Now it works.')];
    const world = await sessionWorld(queued, scriptedModel(...script));
    await world.say('Go.');
    await world.settle();
    expect((await world.view()).session.state).toBe('waiting_for_tool');
    await settleWithCalls(world);
    const { end, told } = await read(world);
    expect({ end, told }).toEqual({ end: { ...completed, steps: 4 }, told: ['repair'] });
  });

  test('a command that needs approval waits for a person, and one that they deny verifies nothing', async () => {
    const asks = definition({}, { tools: [write, look, bash({ approval: 'always' })] });
    const world = await sessionWorld(asks, scriptedModel(writes('good'), says('It works.')));
    await world.say('Go.');
    await world.settle();
    const { batch } = (await world.view()).session;
    expect(batch?.waits).toMatchObject([{ kind: 'approval', tool: 'bash' }]);
    await decide(world.key, batch?.waits[0]?.id ?? '', { approved: false, by: 'ann' }, world);
    await world.settle();
    const { end, events } = await read(world);
    expect(end).toEqual({ ...failed, steps: 2 });
    expect(endings(events)[0]?.message).toContain('The verification was not run: npm test');
  });

  test.each<{
    what: string;
    decision: { approved: boolean; changes?: number[] };
    files: object;
    end: object;
  }>([
    {
      what: 'all of it is approved',
      decision: { approved: true },
      files: { 'a.ts': 'good' },
      end: completed,
    },
    { what: 'it is denied', decision: { approved: false }, files: {}, end: completed },
    {
      what: 'its fix is not approved',
      decision: { approved: true, changes: [1] },
      files: { 'a.ts': 'bad' },
      end: failed,
    },
  ])(
    'in plan mode the draft is verified before people are asked, and the files if $what',
    async ({ decision, files, end }) => {
      const left =
        'a.ts' in files && end === completed
          ? [says('It is made.')]
          : [says('As you say.'), says('As you say, it is so.')];
      const script = [writes('bad'), says('My plan.'), writes('good'), says('Now it works.'), ...left];
      const world = await sessionWorld(
        definition({}, { mode: 'plan', tools: [write, look, bash()] }),
        scriptedModel(...script),
      );
      await world.say('Go.');
      await world.settle();
      const { session } = await world.view();
      expect(session).toMatchObject({ state: 'waiting_for_input', reason: 'awaiting_approval' });
      const checks = async () =>
        (await world.slots()).flatMap((slot) =>
          slot.kind === 'tools' && slot.made === 'check' ? slot.results : [],
        );
      expect((await checks()).map(({ exitCode }) => exitCode)).toEqual([1, 0]);
      await decide(world.key, session.batch?.waits[0]?.id ?? '', { ...decision, by: 'ann' }, world);
      await world.settle();
      expect(await filesOf(world.key, (await world.view()).session, world)).toEqual(files);
      expect((await read(world)).end).toMatchObject(end);
    },
  );

  test('a custom guard can ask for checks too, one for each answer, even if it is never satisfied', async () => {
    const never = defineGuard<{ heard: number }>({
      name: 'never',
      scope: 'run',
      initial: { heard: 0 },
      checks: true,
      hooks: {
        result: ({ heard }) => ({ state: { heard: heard + 1 } }),
        complete: () => ({
          verdict: { kind: 'check', code: 'again', message: 'Looking.', tool: 'look', input: {} },
        }),
      },
    });
    const { end, slots, world } = await drive(
      { tools: [look, write, bash()], guards: [never], guardrails: { verify: { command: 'npm test' } } },
      [writes('good'), says('It works.')],
    );
    expect(end).toEqual({ ...completed, steps: 2 });
    expect(
      slots
        .flatMap((slot) => (slot.kind === 'tools' && slot.made ? slot.results : []))
        .map(({ name }) => name),
    ).toEqual(['bash', 'look']);
    expect((await world.view()).session.metadata.guardrails.never).toEqual({ heard: 2 + 1 });
  });

  test('messages before it runs are answered first, and then it runs', async () => {
    const world = await sessionWorld(
      definition(),
      scriptedModel(writes('good'), says('It works.'), says('With pleasure.')),
    );
    world.faults.at(
      'sessions.commit',
      async (proceed) => {
        const done = await proceed();
        await world.say('Thanks!');
        return done;
      },
      2,
    );
    await world.say('Go.');
    await world.settle();
    const { end, slots } = await read(world);
    expect(end).toEqual({ ...completed, steps: 3 });
    expect(slots.filter((slot) => slot.kind === 'tools' && slot.made)).toHaveLength(1);
  });

  test('requests to an earlier run before it runs need no answer: it runs, and the run ends as planned', async () => {
    const world = await sessionWorld(
      definition({}, { guardrails: { verify: { command: 'npm test' }, truncation: { max: 0 } } }),
      scriptedModel(writes('good'), says('It works, and', { stop: 'max_tokens' })),
    );
    world.faults.at(
      'sessions.commit',
      async (proceed) => {
        const done = await proceed();
        const asked = { eventId: 'ask1', text: 'wrap_up', control: 'wrap_up', runId: 'earlier' } as const;
        expect(await accept(world.key, asked, world)).toBe('accepted');
        return done;
      },
      2,
    );
    await world.say('Go.');
    await world.settle();
    const { end, slots } = await read(world);
    expect(end).toEqual({ state: 'completed', reason: 'completed_truncated', steps: 2 });
    expect(slots.filter((slot) => slot.kind === 'tools' && slot.made)).toHaveLength(1);
  });

  test('a run that is stopped before its command runs has none', async () => {
    const world = await sessionWorld(definition(), scriptedModel(writes('good'), says('It works.')));
    world.faults.at(
      'sessions.commit',
      async (proceed) => {
        const done = await proceed();
        await cancel(world.key, world);
        return done;
      },
      2,
    );
    await world.say('Go.');
    await world.settle();
    const { end, slots } = await read(world);
    expect(end).toMatchObject({ state: 'cancelled' });
    expect(slots.filter((slot) => slot.made)).toEqual([]);
  });

  test('deaths in the middle change nothing, and no reply is requested twice', async () => {
    await sameWhenKilled(() => ({
      definition: definition(),
      script: [writes('bad'), says('It works.'), writes('good'), says('Now it works.')],
    }));
  });
});
