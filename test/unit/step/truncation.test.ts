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
import { clientView, verifyOrder } from './client-view.fixture.ts';
import { custom, ending, endings, notedTool, textsOf } from './reading.fixture.ts';

const cut = (text = 'half a') => stops('max_tokens', text);

async function run(script: Scripted[], max = 2) {
  const write = notedTool('write', 'once');
  const definition = { tools: [write.tool], guardrails: { truncation: { max } } };
  const world = await sessionWorld(definition, scriptedModel(...script));
  await world.say('hi');
  await world.settle();
  const events = await world.events();
  await verifyOrder(events);
  const internals = (await world.slots()).flatMap((slot) =>
    slot.kind === 'model' ? slot.input.filter(({ internal }) => internal) : [],
  );
  return { world, events, end: ending(events), internals, ran: write.keys.length };
}

const complete = { state: 'completed', reason: 'completed' };
const truncated = { state: 'completed', reason: 'completed_truncated' };

describe('A15: recovery from max_tokens', () => {
  test.each<{
    what: string;
    script: Scripted[];
    limit?: number;
    end: object;
    asked: number;
    internal: number;
  }>([
    { what: 'no cut', script: [says('all')], end: complete, asked: 1, internal: 0 },
    { what: 'one cut', script: [cut(), says('sentence')], end: complete, asked: 2, internal: 1 },
    { what: 'two cuts', script: [cut(), cut(), says('end')], end: complete, asked: 3, internal: 2 },
    { what: 'three cuts', script: [cut(), cut(), cut()], end: truncated, asked: 3, internal: 2 },
    { what: 'limit 0', script: [cut()], limit: 0, end: truncated, asked: 1, internal: 0 },
    { what: 'limit 1, two cuts', script: [cut(), cut()], limit: 1, end: truncated, asked: 2, internal: 1 },
  ])(
    'A15: $what: $asked calls, $internal internal messages',
    async ({ script, limit, end, asked, internal }) => {
      const ran = await run(script, limit);
      expect(ran.end).toMatchObject(end);
      expect(ran.world.model.requests).toHaveLength(asked);
      expect(ran.internals).toHaveLength(internal);
      expect(ran.internals.every((turn) => turn.internal?.reason === 'max_tokens_recovery')).toBe(true);
    },
  );

  test('A15: a complete reply in between restarts the count', async () => {
    const { end } = await run([cut(), cut(), calls(['write', {}]), cut(), cut(), says('end')]);
    expect(end).toMatchObject({ ...complete, steps: 6 });
  });

  test('A15: calls of a cut reply never run, and leave history', async () => {
    const cutCalls = changed(saysAndCalls('Writing.', ['write', { text: 'ha' }]), { stop: 'max_tokens' });
    const { world, end, ran, events } = await run([cutCalls, calls(['write', { text: 'h' }]), says('ok')]);
    expect(end).toMatchObject({ ...complete, steps: 3 });
    expect(ran).toBe(1);
    expect(world.model.requests[1]?.messages[1]?.content).toEqual([{ type: 'text', text: 'Writing.' }]);
    expect(JSON.stringify(clientView(events)).match(/"name":"write"/g)).toHaveLength(1);
  });

  test('A15: a cut reply with nothing complete is requested again, in one user message', async () => {
    const nothing = changed(calls(['write', {}]), { stop: 'max_tokens' });
    const { world } = await run([nothing, says('ok')]);
    expect(world.model.requests[1]?.messages).toMatchObject([
      { role: 'user', content: [{ text: 'hi' }, { text: expect.stringContaining('cut off') }] },
    ]);
  });

  test('A15: the next run starts counting afresh', async () => {
    const { world } = await run([cut(), cut(), cut()]);
    world.model.answer(cut(), cut(), says('end'));
    await world.say('more');
    await world.settle();
    expect(endings(await world.events()).map(({ reason }) => reason)).toEqual([
      'completed_truncated',
      'completed',
    ]);
  });
});

describe('A20: internal messages', () => {
  test('A20: are in the request, and never visible to people', async () => {
    const { world, events, internals } = await run([cut('The first half,'), says(' and the second.')]);
    const [nudge] = internals;
    expect(textsOf(world.model.requests[1], 'user')).toEqual(['hi', nudge?.text]);
    const told = custom(events, 'steploop.guard').filter(({ action }) => action === 'nudge');
    expect(told).toHaveLength(1);
    const shown = events.filter((event) => event.type !== 'CUSTOM');
    expect(JSON.stringify(shown)).not.toContain('cut off');
    expect(clientView(events).map((message) => message.content)).toEqual([
      'hi',
      'The first half,',
      ' and the second.',
    ]);
  });

  test('A20: are not repeated: the next requests contain them once, where they were', async () => {
    const { world } = await run([cut('The first half,'), calls(['write', {}]), says('ok')]);
    const nudges = world.model.requests.map(
      (request) => textsOf(request, 'user').filter((text) => text.includes('cut off')).length,
    );
    expect(nudges).toEqual([0, 1, 1]);
  });

  test('A20: come before a user message that arrives with them, and only the latter is shown', async () => {
    const script: Scripted[] = [
      async () => {
        await world.say('and be quick', 'e2');
        return cut('Well,');
      },
      says('ok'),
    ];
    const world = await sessionWorld({}, scriptedModel(...script));
    await world.say('hi', 'e1');
    await world.settle();
    expect(textsOf(world.model.requests[1], 'user')).toEqual([
      'hi',
      expect.stringContaining('cut off'),
      'and be quick',
    ]);
    expect(clientView(await world.events()).map((message) => message.content)).toEqual([
      'hi',
      'Well,',
      'and be quick',
      'ok',
    ]);
  });
});
