import { describe, expect, test } from 'vitest';
import { calls, changed, type Scripted, says, saysAndCalls, stops } from '../../../testing/scripted-model.ts';
import { clientView } from './client-view.fixture.ts';
import { endings, notedTool } from './reading.fixture.ts';
import { drive, sameWhenKilled } from './rows.fixture.ts';

const cut = (text = 'half ') => stops('max_tokens', text);
/** A reply whose call was cut in the middle: no part of the call is complete. */
const cutCall = (text = '') => changed(says(text), { stop: 'max_tokens', cutCalls: true });
/** A reply of a provider that reads calls from text: the call is complete, the text after it is lost. */
const salvaged = (n: number) => changed(calls(['write', { n }]), { stop: 'max_tokens', callsComplete: true });

const completed = { state: 'completed', reason: 'completed' };
const truncated = { state: 'completed', reason: 'completed_truncated' };
const failed = { state: 'error', reason: 'model_error' };

describe('U2: replies cut at the output limit', () => {
  test.each<{
    preset: 'aar' | 'hamr' | 'attocode' | 'default';
    script: Scripted[];
    end: object;
    what: string;
  }>([
    {
      preset: 'aar',
      what: 'A15: two recoveries, then a normal end',
      script: [cut(), cut(), cut()],
      end: truncated,
    },
    { preset: 'hamr', what: 'H12: the third cut in a row fails', script: [cut(), cut(), cut()], end: failed },
    {
      preset: 'hamr',
      what: 'H12: two cuts are continued',
      script: [cut(), cut(), says('end')],
      end: completed,
    },
    {
      preset: 'attocode',
      what: 'T17: three continuations',
      script: [cut(), cut(), cut(), says('end')],
      end: completed,
    },
    {
      preset: 'attocode',
      what: 'T17: the fourth cut is accepted, and flagged',
      script: [cut(), cut(), cut(), cut()],
      end: truncated,
    },
    {
      preset: 'default',
      what: 'U2: cut text is the answer, flagged',
      script: [cut(), cut(), cut()],
      end: truncated,
    },
    {
      preset: 'default',
      what: 'U2: cut calls fail the run',
      script: [cutCall(), cutCall(), cutCall()],
      end: failed,
    },
    {
      preset: 'attocode',
      what: 'T18: calls and text share one counter',
      script: [cut(), cutCall(), cut(), cutCall()],
      end: truncated,
    },
  ])('$preset: $what', async ({ preset, script, end }) => {
    const ran = await drive({ guardrails: preset }, script);
    expect(ran.end).toMatchObject({ ...end, steps: script.length });
  });

  test('A15: the count belongs to the session: a later run has the rest', async () => {
    const { world } = await drive({ guardrails: 'aar' }, [cut(), cut(), says('end')]);
    world.model.answer(cut());
    await world.say('more');
    await world.settle();
    expect(endings(await world.events()).map(({ reason }) => reason)).toEqual([
      'completed',
      'completed_truncated',
    ]);
  });

  test('H12: a complete reply in between restarts the row', async () => {
    const write = notedTool('write', 'once');
    const script = [cut(), cut(), calls(['write', { n: 1 }]), cut(), cut(), says('end')];
    const { end } = await drive({ guardrails: 'hamr', tools: [write.tool] }, script);
    expect(end).toMatchObject(completed);
  });

  test('H12: complete calls of a cut reply run, and the model is told after their results', async () => {
    const write = notedTool('write', 'once');
    const { end, told, world } = await drive({ guardrails: 'hamr', tools: [write.tool] }, [
      salvaged(1),
      says('end'),
    ]);
    expect(write.keys).toHaveLength(1);
    expect(told).toEqual(['truncated_calls']);
    expect(end).toMatchObject(completed);
    expect(world.model.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { type: 'tool_result' },
      { type: 'text', text: expect.stringContaining('Truncation') },
    ]);
  });

  test('H12: the third cut in a row fails, also with complete calls, which do not run', async () => {
    const write = notedTool('write', 'once');
    const { end } = await drive({ guardrails: 'hamr', tools: [write.tool] }, [
      salvaged(1),
      salvaged(2),
      salvaged(3),
    ]);
    expect(end).toMatchObject(failed);
    expect(write.keys).toHaveLength(2);
  });

  test('T18: a provider’s complete calls are dropped if calls of cut replies are dropped', async () => {
    const write = notedTool('write', 'once');
    const { told } = await drive({ guardrails: 'attocode', tools: [write.tool] }, [salvaged(1), says('end')]);
    expect(write.keys).toEqual([]);
    expect(told).toEqual(['truncated_calls']);
  });

  test('T18: a cut write is not run, and one request names truncation and smaller arguments', async () => {
    const write = notedTool('write_file', 'once');
    const script = [
      changed(saysAndCalls('Writing.', ['write_file', { text: 'ha' }]), { stop: 'max_tokens' }),
      calls(['write_file', { text: 'h' }]),
      says('All of it is written.'),
    ];
    const { internals, world } = await drive({ guardrails: 'attocode', tools: [write.tool] }, script);
    expect(write.keys).toHaveLength(1);
    expect(internals).toHaveLength(1);
    expect(internals[0]?.text).toMatch(/Truncation.*smaller arguments/s);
    expect(JSON.stringify(world.model.requests[1]?.messages)).not.toContain('tool_use');
  });

  test('T17: the parts are one answer, each stored once', async () => {
    const { events, world, slots } = await drive({ guardrails: 'attocode' }, [
      cut('One, '),
      cut('two, '),
      says('three.'),
    ]);
    const [end] = endings(events);
    const shown = clientView(events).filter(({ role }) => role === 'assistant');
    expect(end?.answer).toEqual({ text: 'One, two, three.', messageIds: shown.map(({ id }) => id) });
    expect(JSON.stringify(slots).match(/One, /g)).toHaveLength(1);
    expect(JSON.stringify(world.model.requests.at(-1)?.messages).match(/One, /g)).toHaveLength(1);
  });

  test('T17: parts before a user message or a tool step are not part of the answer', async () => {
    const get = notedTool('get', 'read');
    const script = [cut('One, '), calls(['get', {}]), cut('two, '), says('three.')];
    const { events } = await drive({ guardrails: 'attocode', tools: [get.tool] }, script);
    expect(endings(events)[0]?.answer?.text).toBe('two, three.');
  });

  test('A15: without `join` a run has no joined answer', async () => {
    const { events } = await drive({ guardrails: 'aar' }, [cut('One, '), says('two.')]);
    expect(endings(events)[0]).not.toHaveProperty('answer');
  });

  test('H2: truncated text with "I’ll" is handled as truncation, and no intent is counted', async () => {
    const { told, world } = await drive({ guardrails: 'hamr' }, [
      cut("I'll look at the file"),
      says('It says 7.'),
    ]);
    expect(told).toEqual(['max_tokens_recovery']);
    const { guardrails } = (await world.view()).session.metadata;
    expect(guardrails.intent?.nudges ?? 0).toBe(0);
  });

  test('T18: deaths in the middle change no counter', async () => {
    const calm = await sameWhenKilled(() => {
      const write = notedTool('write', 'idempotent');
      const definition = { guardrails: 'hamr' as const, tools: [write.tool] };
      return {
        definition,
        script: [cutCall(), salvaged(1), calls(['write', { n: 2 }]), cut('a '), says('end')],
      };
    });
    expect(calm.told).toEqual(['truncated_calls', 'truncated_calls', 'max_tokens_recovery']);
  });
});
