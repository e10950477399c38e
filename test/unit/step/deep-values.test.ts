/** External values that are nested 50,000 deep, too deep for recursive code. */

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { askOf } from '../../../shared/agent/entrypoints/accept.ts';
import { runCall } from '../../../shared/agent/entrypoints/call.ts';
import { callsOf, unusableInput } from '../../../shared/agent/session/reply.ts';
import { calls, reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { custom, ending, endings, resultsOf, tool } from './reading.fixture.ts';

const LEVELS = 50_000;
const deepText = '['.repeat(LEVELS) + ']'.repeat(LEVELS);
/** It can be written as JSON, and is too deep for recursive code. */
const writable = () => ({ value: JSON.parse('['.repeat(3_000) + ']'.repeat(3_000)) as unknown });

describe('results of tools', () => {
  test.each<[string, () => unknown, string]>([
    ['a value that cannot be written', () => ({ value: JSON.parse(deepText) }), 'error'],
    ['a value that can just be written', writable, 'ok'],
    ['a text with such a value', () => deepText, 'ok'],
  ])('%s: the run continues, and so do guards that look at results', async (_name, run, outcome) => {
    const script = [1, 2, 3, 4].map(() => calls(['get', {}]));
    const guardrails = { loop: { stepRepeat: { limit: 0 }, noProgress: { warn: 2, halt: 8 } } };
    const world = await sessionWorld(
      { tools: [tool('get', run)], guardrails, limits: { maxToolOutputChars: 200_000 } },
      scriptedModel(...script, says('So.')),
    );
    await world.say('hi');
    await world.settle();
    const events = await world.events();
    expect(ending(events)).toMatchObject({ state: 'completed', steps: 5 });
    expect(custom(events, 'steploop.guard').map(({ code }) => code)).not.toContain('guard_failed');
    expect(resultsOf(await world.slots())[0]).toMatchObject({ outcome });
  });
});

test('a summary that is nested too deep is one finding of text', async () => {
  const world = await sessionWorld({ tools: [tool('get')], guardrails: 'attocode' }, scriptedModel());
  world.model.answer(
    async () => {
      await askOf(world.key, 'wrap_up', 'ask1', world);
      return calls(['get', {}]);
    },
    says(`{"findings":[${deepText}]}`),
  );
  await world.say('hi');
  await world.settle();
  const [{ state, summary } = {}] = endings(await world.events());
  expect(state).toBe('completed');
  expect(summary?.findings).toHaveLength(1);
});

describe('input that is unusable', () => {
  test.each(['{"city": Lisbon', deepText, '["Lisbon"]'])(
    'is sent from history as it was called (%#)',
    (text) => {
      const block = { type: 'tool_use', id: 'call_1', name: 'clock', input: unusableInput(text) };
      const input = text === '["Lisbon"]' ? ['Lisbon'] : text;
      expect(callsOf({ content: [block] })).toEqual([{ id: 'call_1', name: 'clock', input }]);
    },
  );

  test('runs no tool from the queue, although its schema accepts any object', async () => {
    let ran = 0;
    const purge = defineTool({
      name: 'purge',
      description: 'Purges a folder, or everything.',
      effect: 'once',
      where: 'queue',
      input: z.object({ folder: z.string().optional() }),
      run: () => ++ran,
    });
    const call = { id: 'call_1', name: 'purge', input: '{"folder": tmp' };
    const content = [{ type: 'tool_use', ...call, input: unusableInput(call.input) }];
    const asked = reply({ stop: 'tool_use', content, calls: [call] });
    const world = await sessionWorld({ tools: [purge] }, scriptedModel(asked, says('So.')));
    await world.say('hi');
    await world.settle();
    const taken = world.queue.calls.receive();
    if (!taken) throw new Error('no call is queued');
    const deadlineAt = world.clock.now() + 900_000;
    await runCall(taken.wake, { id: 'worker', message: taken.handle, deadlineAt }, world.agentOf, world);
    await world.settle();
    expect(ran).toBe(0);
    const [result] = resultsOf(await world.slots());
    expect(result).toMatchObject({ outcome: 'error', content: expect.stringContaining('invalid_arguments') });
  });
});
