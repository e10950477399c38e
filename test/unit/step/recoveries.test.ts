import { describe, expect, test } from 'vitest';
import { defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import { judge } from '../../../shared/agent/guardrails/judge.ts';
import { identicalCommandsGuard } from '../../../shared/agent/guardrails/loops/identical-commands.ts';
import { identicalReadsGuard } from '../../../shared/agent/guardrails/loops/identical-reads.ts';
import { newSession } from '../../../shared/agent/session/session.ts';
import { calls, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { clientView } from './client-view.fixture.ts';
import { custom, ending, endings, resultsOf, tool } from './reading.fixture.ts';
import { type Definition, drive, read, sameWhenKilled } from './rows.fixture.ts';

const empty = () => says('');
const get = tool('get');
const same = () => calls(['get', { id: 1 }]);
const bash = tool(
  'bash',
  ({ command }) => ({ exitCode: command === 'true' ? 0 : 2, stderr: `${command}: boom` }),
  {
    effect: 'idempotent',
  },
);
const shell = (command: string) => calls(['bash', { command }]);
const written = (n = 1) => says(`Calling it now.\n<tool_call>{"name":"get", "n": ${n}</tool_call>`);
const completed = { state: 'completed', reason: 'completed' };

/** Hamr with a guard that halts loops. */
const hamr = (more: object = {}): Definition => ({
  tools: [get, bash],
  guardrails: { preset: 'hamr', loop: { stepRepeat: { limit: 2 } }, ...more },
});

describe('H16: the ends that a run recovers from', () => {
  test('H16: empty twice, then text: two recoveries, and one end', async () => {
    const { end, recoveries, events } = await drive(hamr(), [empty(), empty(), says('It is 7.')]);
    expect(recoveries).toEqual(['empty_response', 'empty_response']);
    expect(end).toEqual({ ...completed, steps: 3 });
    expect(endings(events)).toHaveLength(1);
  });

  test('H16: a third empty reply is one too many', async () => {
    const { end, recoveries } = await drive(hamr(), [empty(), empty(), empty()]);
    expect(recoveries).toHaveLength(2);
    expect(end).toEqual({ state: 'error', reason: 'model_error', steps: 3 });
  });

  test('H16: empty, then a loop: both are tried', async () => {
    const { end, recoveries } = await drive(hamr(), [empty(), same(), same(), same(), says('It is 7.')]);
    expect(recoveries).toEqual(['empty_response', 'infinite_loop']);
    expect(end).toMatchObject(completed);
  });

  test('H16: only the counter that fired is reset, and a loop is recovered from once', async () => {
    const script = [same(), same(), same(), same(), same(), same()];
    const { end, recoveries, world } = await drive(hamr(), script);
    expect(recoveries).toEqual(['infinite_loop']);
    expect(end).toEqual({ state: 'error', reason: 'loop_halt', steps: 6 });
    expect((await world.view()).session.metadata.guardrails.max_steps).toEqual({ steps: 6 });
  });

  test.each([
    {
      guard: identicalReadsGuard({ limit: 1, warnAt: 0 }, 'counted', 'message'),
      call: { id: 'c', name: 'read_file', input: { path: 'a.ts' } },
    },
    {
      guard: identicalCommandsGuard({ limit: 1, stopOn: 'on_nth' }, 'counted', 'message'),
      call: { id: 'c', name: 'bash', input: { command: 'make' } },
    },
  ])('H16: $guard.name ends a run as tool_error, and reports a loop', ({ guard, call }) => {
    const session = newSession({ tenant: 't', sessionId: 's' }, 'a', 'd');
    const seen = { call, effect: 'unknown', tool: undefined } as const;
    expect(judge([guard], 'call', session, seen).verdict).toMatchObject({
      kind: 'halt',
      reason: 'tool_error',
      recover: { scenario: 'infinite_loop' },
    });
  });

  test.each([
    {
      says: { recover: { scenario: 'infinite_loop', text: 'Go elsewhere.' } },
      recoveries: ['infinite_loop'],
    },
    { says: {}, recoveries: [] },
  ] as const)('H16: a custom guard says what its halt recovers from: $recoveries', async (guard) => {
    const loops = defineGuard<{ calls: number }>({
      name: 'loops',
      scope: 'run',
      initial: { calls: 0 },
      hooks: {
        call: ({ calls: before }) => {
          const halt = { kind: 'halt', state: 'error', reason: 'tool_error', code: 'mine' } as const;
          if (before === 0) return { state: { calls: 1 } };
          return { verdict: { ...halt, message: 'Again.', ...guard.says } };
        },
      },
    });
    const world = await sessionWorld(
      { ...hamr(), guards: [loops] },
      scriptedModel(same(), calls(['get', { id: 2 }]), says('It is 7.')),
    );
    await world.say('Go.');
    await world.settle();
    const { recoveries, end } = await read(world);
    expect(recoveries).toEqual(guard.recoveries);
    expect(end).toMatchObject(guard.recoveries.length > 0 ? completed : { reason: 'tool_error', steps: 2 });
  });

  test('H16: the model is told why, and no call of the halted batch ran', async () => {
    const { slots, internals } = await drive(hamr(), [same(), same(), same(), says('It is 7.')]);
    expect(resultsOf(slots)).toHaveLength(2);
    expect(internals.map(({ internal }) => internal?.reason)).toEqual(['recovery_infinite_loop']);
    expect(internals[0]?.text).toContain('circles');
  });

  test('H16: three failing steps of a shell are recovered from with its output, two times', async () => {
    const failing = (from: number) => [from, from + 1, from + 2].map((n) => shell(`x${n}`));
    const script = [...failing(1), ...failing(4), ...failing(7)];
    const { end, recoveries, internals } = await drive(hamr(), script);
    expect(recoveries).toEqual(['bash_failure', 'bash_failure']);
    expect(internals[0]?.text).toContain('x3: boom');
    expect(end).toEqual({ state: 'error', reason: 'tool_error', steps: 9 });
  });

  test('H16: three failing steps of another tool end the run as tool_error', async () => {
    const script = [1, 2, 3].map((n) => calls(['nope', { n }]));
    const { end, recoveries, slots } = await drive(hamr(), script);
    expect(end).toEqual({ state: 'error', reason: 'tool_error', steps: 3 });
    expect(recoveries).toEqual([]);
    expect(resultsOf(slots)).toHaveLength(3);
  });

  test('H16: a success in between restarts the count; a batch of failures is one step', async () => {
    const script: Scripted[] = [
      calls(['nope', { n: 1 }], ['nope', { n: 2 }], ['nope', { n: 3 }]),
      calls(['nope', { n: 4 }]),
      shell('true'),
      calls(['nope', { n: 5 }]),
      calls(['nope', { n: 6 }]),
      says('There is no such tool.'),
    ];
    expect((await drive(hamr(), script)).end).toMatchObject(completed);
  });

  test('H16: refused calls are no errors', async () => {
    const definition = { ...hamr(), limits: { maxCallsPerReply: 1 } };
    const two = (n: number) => calls(['get', { n }], ['get', { n: -n }]);
    expect((await drive(definition, [two(1), two(2), two(3), two(4), says('It is 7.')])).end).toMatchObject(
      completed,
    );
  });

  test('H16: five in all, of whatever kind', async () => {
    const script = [
      ...[empty(), empty()],
      ...[written(1), written(2)],
      ...[same(), same(), same()],
      ...[shell('x1'), shell('x2'), shell('x3')],
    ];
    const { end, recoveries } = await drive(hamr(), script);
    expect(recoveries).toEqual([
      'empty_response',
      'empty_response',
      'malformed_tool_call',
      'malformed_tool_call',
      'infinite_loop',
    ]);
    expect(end).toMatchObject({ state: 'error', reason: 'tool_error' });
  });

  test('H16: there is no recovery when steps or calls run out', async () => {
    const steps = await drive({ ...hamr(), limits: { maxSteps: 1 } }, [same()]);
    expect(steps).toMatchObject({ recoveries: [], end: { state: 'max_steps' } });
    const toolCalls = await drive({ ...hamr(), limits: { maxToolCalls: 1 } }, [same(), calls(['get', {}])]);
    expect(toolCalls).toMatchObject({ recoveries: [], end: { reason: 'max_tool_calls' } });
  });

  test('H16: the next run has all its recoveries', async () => {
    const world = await sessionWorld(hamr(), scriptedModel(empty(), empty(), empty()));
    await world.say('Go.');
    await world.settle();
    world.model.answer(empty(), empty(), says('It is 7.'));
    await world.say('Go on.');
    await world.settle();
    const { recoveries, end } = await read(world);
    expect(recoveries).toHaveLength(4);
    expect(end).toMatchObject(completed);
  });

  test('H16: with a total of 0 a halt is final', async () => {
    const { end, recoveries } = await drive(hamr({ recovery: { total: 0 } }), [empty()]);
    expect(recoveries).toEqual([]);
    expect(end).toMatchObject({ reason: 'model_error' });
  });

  test('H16: deaths in the middle change no counter, and no recovery is counted twice', async () => {
    const calm = await sameWhenKilled(() => ({
      definition: hamr(),
      script: [
        empty(),
        same(),
        same(),
        same(),
        shell('x1'),
        shell('x2'),
        shell('x3'),
        written(),
        says('It is 7.'),
      ],
    }));
    expect(calm.recoveries).toEqual([
      'empty_response',
      'infinite_loop',
      'bash_failure',
      'malformed_tool_call',
    ]);
  });

  test('A12: a halt that recovery consumed comes again as the same halt', async () => {
    const world = await sessionWorld(hamr(), scriptedModel(same(), same(), same(), same(), same(), same()));
    await world.say('Go.');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ reason: 'loop_halt' });
    expect(custom(await world.events(), 'steploop.ended')).toMatchObject([{ success: false }]);
  });
});

describe('H19: the meaning of a reply', () => {
  test('H19: tagged thinking is separate from the stored text, and shown as thinking', async () => {
    const { slots, events } = await drive(hamr(), [says('<think>It is 3 + 4.</think>\n\nIt is 7.')]);
    expect(slots[0]).toMatchObject({
      reply: { content: [{ type: 'text', text: 'It is 7.' }], reasoning: 'It is 3 + 4.' },
    });
    expect(clientView(events).map(({ content }) => content)).toEqual(['Go.', 'It is 7.']);
    const thought = events.flatMap((event) =>
      event.type === 'REASONING_MESSAGE_CONTENT' ? [event.delta] : [],
    );
    expect(thought.join('')).toBe('It is 3 + 4.');
  });

  test('H19: however the stream is cut, it is recognized the same', async () => {
    const whole = 'A<think>one <b> two</think> B `<think>` C';
    for (let at = 1; at < whole.length; at += 1) {
      const outcome = says(whole);
      const script: Scripted = ({ stream }) => {
        stream(whole.slice(0, at));
        stream(whole.slice(at));
        return outcome;
      };
      const { events, slots } = await drive(hamr(), [script]);
      expect([at, clientView(events).at(-1)?.content]).toEqual([at, 'AB `<think>` C']);
      expect(slots[0]).toMatchObject({
        reply: { content: [{ text: 'AB `<think>` C' }], reasoning: 'one <b> two' },
      });
    }
  });

  test('H19: other presets leave tags as they are', async () => {
    const { slots } = await drive({ guardrails: 'aar' }, [says('<think>hm</think>It is 7.')]);
    expect(slots[0]).toMatchObject({ reply: { content: [{ text: '<think>hm</think>It is 7.' }] } });
  });

  test('H19: prose beside calls keeps the calls', async () => {
    const both = calls(['get', { id: 2 }]);
    if (both.kind === 'failed') throw new Error('no reply');
    const prose = [
      { type: 'text', text: "Let me look. <tool_call> is what I'd write." },
      ...both.reply.content,
    ];
    const { slots } = await drive(hamr(), [
      { ...both, reply: { ...both.reply, content: prose } },
      says('It is 7.'),
    ]);
    expect(resultsOf(slots)).toHaveLength(1);
  });

  test('H19: a call written as text is malformed: the model is told the right format, and the run continues', async () => {
    const { end, recoveries, internals } = await drive(hamr(), [written(), same(), says('It is 7.')]);
    expect(recoveries).toEqual(['malformed_tool_call']);
    expect(internals[0]?.text).toContain('JSON object');
    expect(end).toMatchObject(completed);
  });

  test('H19: the third one ends the run as model_error', async () => {
    const { end } = await drive(hamr(), [written(1), written(2), written(3)]);
    expect(end).toEqual({ state: 'error', reason: 'model_error', steps: 3 });
  });

  test('H19: in a code block it is text', async () => {
    const { recoveries } = await drive(hamr(), [
      says('Write it so:\n```xml\n<tool_call>{}</tool_call>\n```\n'),
    ]);
    expect(recoveries).toEqual([]);
  });
});
