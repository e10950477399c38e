import { describe, expect, test } from 'vitest';
import {
  calls,
  changed,
  type Scripted,
  says,
  saysAndCalls,
  scriptedModel,
  stops,
} from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { clientView } from './client-view.fixture.ts';
import { endings, tool } from './reading.fixture.ts';
import { drive, read, sameWhenKilled } from './rows.fixture.ts';

const empty = () => says('');
const thinks = (thinking = 'The answer is 7.') =>
  changed(says(''), { content: [{ type: 'thinking', thinking, signature: 's' }] });
const fails = tool('check', () => {
  throw new Error('FAILED');
});
const tells = tool('check', () => '2 tests FAILED');
const get = tool('get');
const completed = { state: 'completed', reason: 'completed' };
const wordless = { state: 'completed', reason: 'completed_empty' };

describe('T15: empty replies', () => {
  test('T15: three are three calls and two nudges, and the last is accepted', async () => {
    const { end, told, asked, slots } = await drive({ guardrails: 'attocode' }, [empty(), empty(), empty()]);
    expect(asked).toBe(3);
    expect(told).toEqual(['empty_response', 'empty_response']);
    expect(end).toEqual({ ...wordless, steps: 3 });
    expect(slots.at(-1)?.verdicts).toMatchObject([{ kind: 'flag', code: 'resilience_failed' }]);
  });

  test('T15: blank text is empty', async () => {
    const { told } = await drive({ guardrails: 'attocode' }, [says(' \n'), says('Seven.')]);
    expect(told).toEqual(['empty_response']);
  });

  test('T15: a reply with text restarts the count', async () => {
    const script = [empty(), empty(), calls(['get', {}]), empty(), empty(), says('Seven.')];
    const { told, end } = await drive({ guardrails: 'attocode', tools: [get] }, script);
    expect(told).toHaveLength(4);
    expect(end).toMatchObject(completed);
  });

  test('A14: a tool_use stop without calls is empty', async () => {
    const { told, end } = await drive({ guardrails: 'attocode' }, [stops('tool_use', ''), says('Seven.')]);
    expect(told).toEqual(['empty_response']);
    expect(end).toMatchObject(completed);
  });

  test('U3: by default a run whose tools have run is completed, another one fails', async () => {
    const bare = await drive({}, [empty(), empty(), empty()]);
    expect(bare.end).toMatchObject({ state: 'error', reason: 'model_error', steps: 3 });
    const worked = await drive({ tools: [get] }, [calls(['get', {}]), empty(), empty(), empty()]);
    expect(worked.end).toMatchObject(wordless);
    expect(endings(worked.events)).toMatchObject([
      {
        success: true,
        code: 'resilience_failed',
        guard: 'empty',
        message: 'The model said nothing: there is no answer.',
      },
    ]);
  });

  test('T15: deaths in the middle change no counter', async () => {
    await sameWhenKilled(() => ({
      definition: { guardrails: 'attocode', tools: [get] },
      script: [empty(), calls(['get', {}]), empty(), empty(), empty()],
    }));
  });
});

describe('silence after text that was cut', () => {
  const cut = (text = 'Half of ') => stops('max_tokens', text);
  const truncated = { state: 'completed', reason: 'completed_truncated' };

  test.each([{}, { guardrails: 'attocode' }, { guardrails: 'aar' }, { guardrails: 'hamr' }] as const)(
    'is the end, and the text is the answer: %j',
    async (definition) => {
      const { end, told, events } = await drive(definition, [cut(), empty()]);
      expect(end).toEqual({ ...truncated, steps: 2 });
      expect(told).toEqual(['max_tokens_recovery']);
      expect(clientView(events).at(-1)?.content).toBe('Half of ');
      expect(endings(events)).toMatchObject([{ success: true, code: 'silent_after_cut', guard: 'empty' }]);
    },
  );

  test('joins the earlier text', async () => {
    for (const script of [
      [cut(), empty()],
      [cut(), cut('it'), thinks('Done.')],
    ]) {
      const { events, end } = await drive({}, script);
      expect(end).toMatchObject(truncated);
      const answer = endings(events)[0]?.answer;
      expect(answer?.text).toBe(script.length === 2 ? 'Half of ' : 'Half of it');
      expect(answer?.messageIds).toHaveLength(script.length - 1);
    }
  });

  test('is none if a call was cut, if a user has sent a message since, or if the cut was answered', async () => {
    const cutCall = changed(saysAndCalls('Writing.', ['get', {}]), { stop: 'max_tokens' });
    const lost = await drive({ tools: [get] }, [cutCall, empty(), says('Seven.')]);
    expect(lost.told).toEqual(['truncated_calls', 'empty_response']);

    const asked = sessionWorld(
      {},
      scriptedModel(
        async () => {
          await (await asked).say('And then?');
          return cut();
        },
        empty(),
        says('Seven.'),
      ),
    );
    const world = await asked;
    await world.say('Go.');
    await world.settle();
    expect((await read(world)).told).toEqual(['max_tokens_recovery', 'empty_response']);

    const answered = await drive({ tools: [get] }, [cut(), calls(['get', {}]), empty(), says('Seven.')]);
    expect(answered.told).toEqual(['max_tokens_recovery', 'empty_response']);
  });

  test('deaths in the middle change nothing', async () => {
    await sameWhenKilled(() => ({ definition: {}, script: [cut(), cut('it'), empty()] }));
  });
});

describe('T16: replies with only thinking', () => {
  test('T16: one nudge, then the thinking is the answer, for clients too', async () => {
    const { end, told, events, slots } = await drive({ guardrails: 'attocode' }, [thinks('Hm.'), thinks()]);
    expect(told).toEqual(['thinking_only']);
    expect(end).toMatchObject(completed);
    expect(clientView(events).map(({ content }) => content)).toEqual(['Go.', 'The answer is 7.']);
    expect(slots.at(-1)).toMatchObject({ reply: { content: [{ type: 'text', text: 'The answer is 7.' }] } });
  });

  test('T16: the nudge uses one retry of the empty ones', async () => {
    const { told, asked } = await drive({ guardrails: 'attocode' }, [thinks(), empty(), empty()]);
    expect(told).toEqual(['thinking_only', 'empty_response']);
    expect(asked).toBe(3);
  });

  test('T16: after a nudge an answer is an answer', async () => {
    const { events } = await drive({ guardrails: 'attocode' }, [thinks(), says('Seven.')]);
    expect(clientView(events).at(-1)?.content).toBe('Seven.');
  });

  test('T16: deaths in the middle promote the same', async () => {
    await sameWhenKilled(() => ({
      definition: { guardrails: 'attocode' },
      script: [thinks('Hm.'), thinks()],
    }));
  });
});

describe('A23: a premature end', () => {
  test.each([
    { what: 'an error', check: fails },
    { what: 'a text that reports a failure', check: tells },
  ])('A23: an empty end after $what is asked again', async ({ check }) => {
    const script = [calls(['check', {}]), empty(), says('Two tests fail because of X.')];
    const { told, end } = await drive({ guardrails: 'aar', tools: [check] }, script);
    expect(told).toEqual(['premature_end']);
    expect(end).toMatchObject({ ...completed, steps: 3 });
  });

  test('A23: two times in a run, then it is accepted', async () => {
    const { told, end } = await drive({ guardrails: 'aar', tools: [fails] }, [
      calls(['check', {}]),
      empty(),
      empty(),
      empty(),
    ]);
    expect(told).toEqual(['premature_end', 'premature_end']);
    expect(end).toMatchObject(wordless);
  });

  test('A23: without a failure an empty end ends the run', async () => {
    const { told, end } = await drive({ guardrails: 'aar', tools: [get] }, [calls(['get', {}]), empty()]);
    expect(told).toEqual([]);
    expect(end).toMatchObject(wordless);
  });

  test.each([
    { steps: 3, told: ['premature_end'], what: 'nine events ago' },
    { steps: 4, told: [], what: 'twelve events ago' },
  ])('A23: a failure $what', async ({ steps, told }) => {
    // Each step is three events: a reply, its call and its result.
    const between = Array.from({ length: steps }, (_, n) => calls(['get', { n }]));
    const after: Scripted[] = told.length > 0 ? [empty(), says('X broke.')] : [empty()];
    const ran = await drive({ guardrails: 'aar', tools: [fails, get] }, [
      calls(['check', {}]),
      ...between,
      ...after,
    ]);
    expect(ran.told).toEqual(told);
  });

  test('A23: two failures of the shell’s environment are pointed out, once', async () => {
    const bash = tool('bash', () => ({ exitCode: 127, stderr: 'rg: command not found' }), { effect: 'once' });
    const script = [1, 2, 3].map((n) => calls(['bash', { command: `rg ${n}` }]));
    const { told } = await drive({ guardrails: 'aar', tools: [bash] }, [...script, says('There is no rg.')]);
    expect(told).toEqual(['shell_pivot']);
  });

  test('A23: every end counts once', async () => {
    const { events } = await drive({ guardrails: 'aar', tools: [fails] }, [
      calls(['check', {}]),
      empty(),
      says('X.'),
    ]);
    expect(endings(events)).toHaveLength(1);
  });
});
