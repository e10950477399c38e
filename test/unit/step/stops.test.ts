import { describe, expect, test } from 'vitest';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import {
  calls,
  changed,
  type Scripted,
  says,
  scriptedModel,
  stops,
} from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { clientView, verifyOrder } from './client-view.fixture.ts';
import { answersIn, custom, ending, endings, notedTool, ofType } from './reading.fixture.ts';

async function run(...script: Scripted[]) {
  const get = notedTool('get', 'read');
  // `folds-refused.test.ts` covers recovery from a full context.
  const guardrails = { recovery: { per: { context_exhaustion: 0 } } };
  const world = await sessionWorld({ tools: [get.tool], guardrails }, scriptedModel(...script));
  await world.say('hi');
  await world.settle();
  const events = await world.events();
  await verifyOrder(events);
  return { world, events, end: ending(events), ran: get.keys.length };
}

const withCalls = (stop: Parameters<typeof stops>[0]) => changed(calls(['get', {}]), { stop });

describe('A14: stop reasons', () => {
  test.each<{ what: string; reply: Scripted; state: string; reason: string }>([
    { what: 'end_turn', reply: says('hello'), state: 'completed', reason: 'completed' },
    {
      what: 'an unknown reason with text',
      reply: stops('unknown', 'hello'),
      state: 'completed',
      reason: 'completed',
    },
    { what: 'a refusal', reply: stops('refusal', 'Sure'), state: 'error', reason: 'blocked' },
    {
      what: 'the end of the context window',
      reply: stops('context_limit', 'so'),
      state: 'budget_exceeded',
      reason: 'context_limit',
    },
    {
      what: 'tool_use without calls, with text',
      reply: stops('tool_use', 'hello'),
      state: 'completed',
      reason: 'completed',
    },
  ])('A14: $what ends the run as $reason', async ({ reply, state, reason }) => {
    const { world, events, end } = await run(reply);
    expect(end).toEqual({ state, reason, steps: 1 });
    expect(world.model.requests).toHaveLength(1);
    expect(endings(events)).toHaveLength(1);
  });

  test('A14: end_turn with calls runs them', async () => {
    const { end, ran } = await run(withCalls('end_turn'), says('ok'));
    expect(ran).toBe(1);
    expect(end).toMatchObject({ state: 'completed', steps: 2 });
  });

  test.each(['context_limit', 'refusal'] as const)(
    'A14: calls of a reply that stopped as %s never run',
    async (stop) => {
      const { world, ran } = await run(withCalls(stop));
      expect(ran).toBe(0);
      world.model.answer(says('ok'));
      await world.say('go on');
      await world.settle();
      expect(JSON.stringify(world.model.requests.at(-1)?.messages)).not.toContain('tool_use');
    },
  );

  test('A14: calls of a reply that stopped for an unknown reason run', async () => {
    const { end, ran } = await run(withCalls('unknown'), says('ok'));
    expect(ran).toBe(1);
    expect(end).toMatchObject({ state: 'completed', steps: 2 });
  });

  test('A14: an unknown reason without text is handled as an empty reply', async () => {
    const asked = await run(stops('unknown', ''), says('hello again'));
    expect(custom(asked.events, 'steploop.guard')).toMatchObject([
      { guard: 'empty', code: 'empty_response' },
    ]);
    expect(asked.end).toEqual({ state: 'completed', reason: 'completed', steps: 2 });
    const silent = await run(...Array(3).fill(stops('unknown', '')));
    expect(silent.end).toEqual({ state: 'error', reason: 'model_error', steps: 3 });
  });

  test('T18: a call that was cut is no empty reply, although the stop reason says tool_use', async () => {
    const cutCall = changed(says(''), { stop: 'max_tokens', stopDetail: 'a call was cut', cutCalls: true });
    const { events, end } = await run(cutCall, says('ok'));
    expect(custom(events, 'steploop.guard')).toMatchObject([
      { guard: 'truncation', code: 'truncated_calls' },
    ]);
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('A14: a refusal leaves no text in history, and reports its category', async () => {
    const { world, events } = await run(stops('refusal', 'Sure'), says('hello'));
    expect(ofType(events, 'RUN_ERROR')[0]?.message).toContain('no reason given');
    await world.say('something else');
    await world.settle();
    expect(world.model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user']);
    expect(clientView(await world.events()).map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  });
});

describe('A14: a turn that its server paused', () => {
  const using = (n: number) => ({ type: 'server_tool_use', id: `s${n}`, name: 'web_search', input: {} });
  const found = (n: number) => ({ type: 'web_search_tool_result', tool_use_id: `s${n}`, content: [] });
  const searching = using(1);
  /** Pauses with a search that continues; each part begins with the findings of the one before. */
  const pauses = (n: number, first = 1): Scripted[] =>
    Array.from({ length: n }, (_, i) => {
      const content = [...(i > 0 ? [found(first + i - 1)] : []), using(first + i)];
      return says('', { stop: 'pause_turn', content });
    });
  const foundThen = (n: number, outcome: ModelOutcome): Scripted => {
    if (outcome.kind === 'failed') throw new Error('no reply');
    return changed(outcome, { content: [found(n), ...outcome.reply.content] });
  };

  test('A14: is resumed with the same history and no text of ours', async () => {
    const { world, end } = await run(...pauses(1), foundThen(1, says('found')));
    expect(world.model.requests[1]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: [searching] },
    ]);
    expect(end).toMatchObject({ state: 'completed', steps: 2 });
  });

  test('A14: five pauses in a row are resumed', async () => {
    const { end } = await run(...pauses(5), foundThen(5, says('found')));
    expect(end).toMatchObject({ state: 'completed', steps: 6 });
  });

  test('A14: the sixth ends the run', async () => {
    expect((await run(...pauses(6))).end).toMatchObject({ state: 'error', reason: 'model_error', steps: 6 });
  });

  test('A14: another reply in between restarts the count', async () => {
    const { end } = await run(
      ...pauses(5),
      foundThen(5, calls(['get', {}])),
      ...pauses(5, 6),
      foundThen(10, says('found')),
    );
    expect(end).toMatchObject({ state: 'completed', steps: 12 });
  });

  test('A14: a call of ours in a paused turn is answered or removed', async () => {
    const mixed = changed(calls(['get', {}]), { stop: 'pause_turn' });
    const { world } = await run(mixed, says('ok'));
    const request = world.model.requests[1];
    const asked = JSON.stringify(request?.messages).split('"tool_use"').length - 1;
    expect(answersIn(request)).toHaveLength(asked);
  });
});
