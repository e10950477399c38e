import { describe, expect, test } from 'vitest';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { calls, changed, says, saysAndCalls, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { ending, endings, notedTool, ofType, resultsOf, tool } from './reading.fixture.ts';

const same = () => calls(['get', { id: 1, of: 'x' }]);

/** Runs a script of replies and returns how the run ended and how many calls ran. */
async function run(script: ModelOutcome[], limit = 3) {
  const get = notedTool('get', 'read');
  const world = await sessionWorld(
    {
      tools: [get.tool, tool('list')],
      guardrails: { preset: 'aar', loop: { stepRepeat: { limit, truncateValuesAt: 0 } } },
    },
    scriptedModel(...script),
  );
  await world.say('hi');
  await world.settle();
  const events = await world.events();
  return { world, events, end: ending(events), ran: get.keys.length };
}

const halted = { state: 'error', reason: 'loop_halt' };
const completed = { state: 'completed' };

describe('A12: identical tool steps', () => {
  test('A12: the fourth identical tool step runs nothing', async () => {
    const { world, events, end, ran } = await run([
      same(),
      same(),
      same(),
      saysAndCalls('Again.', ['get', { id: 1, of: 'x' }]),
    ]);
    expect(end).toEqual({ ...halted, steps: 4 });
    expect(ran).toBe(3);
    expect(resultsOf(await world.slots())).toHaveLength(3);
    expect(ofType(events, 'TOOL_CALL_START')).toHaveLength(3);
    expect(ofType(events, 'RUN_ERROR')).toHaveLength(1);
  });

  const other = () => calls(['get', { id: 2 }]);
  const long = (end: string) => calls(['get', { text: 'a'.repeat(200) + end }]);
  const pair = (...ids: number[]) => calls(...ids.map((id): [string, unknown] => ['get', { id }]));

  test.each<{ what: string; script: ModelOutcome[]; end: object; limit?: number }>([
    { what: 'three are allowed', script: [same(), same(), same(), says('ok')], end: completed },
    {
      what: 'another step in between restarts the count',
      script: [same(), same(), same(), other(), same(), same(), same(), says('ok')],
      end: completed,
    },
    {
      what: 'a step of another tool with the same arguments is another step',
      script: [same(), same(), same(), calls(['list', { id: 1, of: 'x' }]), says('ok')],
      end: completed,
    },
    {
      what: 'the order inside a batch does not matter',
      script: [pair(1, 2), pair(2, 1), pair(1, 2), pair(2, 1)],
      end: halted,
    },
    {
      what: 'the order of keys does not matter',
      script: [same(), calls(['get', { of: 'x', id: 1 }]), same(), calls(['get', { of: 'x', id: 1 }])],
      end: halted,
    },
    {
      what: 'values that differ after 200 characters differ',
      script: [long('1'), long('2'), long('3'), long('4'), says('ok')],
      end: completed,
    },
    {
      what: 'a batch of one more call is another step',
      script: [pair(1), pair(1), pair(1), pair(1, 1), says('ok')],
      end: completed,
    },
    {
      what: 'calls of unknown tools count',
      script: [1, 2, 3, 4].map(() => calls(['nope', {}])),
      end: halted,
    },
    { what: 'limit 1 halts the second', script: [same(), same()], end: halted, limit: 1 },
    { what: '0 is off', script: [...Array.from({ length: 6 }, same), says('ok')], end: completed, limit: 0 },
  ])('A12: $what', async ({ script, end, limit }) => {
    expect((await run(script, limit)).end).toMatchObject(end);
  });

  test('A12: steps without tools neither count nor reset', async () => {
    const cut = () => says('thinking', { stop: 'max_tokens' });
    const { end } = await run([same(), same(), cut(), same(), same()]);
    expect(end).toMatchObject(halted);
  });

  test('A12: after a halt the next message starts counting afresh', async () => {
    const { world, ran } = await run([same(), same(), same(), same()]);
    world.model.answer(same(), same(), same(), says('ok'));
    await world.say('once more');
    await world.settle();
    expect(ran).toBe(3);
    expect(endings(await world.events()).map(({ state }) => state)).toEqual(['error', 'completed']);
  });

  test("A12: the halted step's text stays, and its calls leave history", async () => {
    const last = changed(saysAndCalls('Once more.', ['get', { id: 1, of: 'x' }]), {});
    const { world } = await run([same(), same(), same(), last]);
    expect((await world.slots()).at(-1)).toMatchObject({
      kind: 'model',
      reply: { content: [{ type: 'text', text: 'Once more.' }] },
    });
  });
});
