import { describe, expect, test } from 'vitest';
import { callsOf } from '../../../shared/agent/session/reply.ts';
import { readCalls } from '../../../shared/agent/tools/read-calls.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { resultsOf, tool } from '../step/reading.fixture.ts';

const pinned = (...names: string[]) => ({
  tools: names.map((name) => ({ name, description: '', input_schema: { type: 'object' } })),
});

const nameOf = (written: string, ...tools: string[]) => {
  const asked = calls([written, {}]);
  if (asked.kind !== 'reply') throw new Error('no reply');
  return readCalls(asked.reply, pinned(...tools)).calls[0]?.name;
};

describe('the name of a call', () => {
  test.each([
    ['functions_get_weather', 'get_weather'],
    ['default_api_get_weather', 'get_weather'],
    ['mcp__github__search', 'github__search'],
    ['GetWeather', 'get_weather'],
    ['get-weather', 'get_weather'],
    ['read_module', 'code_execution__read_module'],
  ])('%s means %s', (written, meant) => {
    expect(nameOf(written, 'other', meant)).toBe(meant);
  });

  test.each([
    ['Get_Weather', ['get_weather', 'getWeather']],
    ['search', ['github__search', 'gitlab__search']],
    ['get_wether', ['get_weather']],
    ['functions', ['get_weather']],
    ['earch', ['search']],
    ['mcp__gitlab__search', ['github__search']],
  ])('%s means none of %j', (written, tools) => {
    expect(nameOf(written, ...tools)).toBe(written);
  });

  test('an exact name means that tool', () => {
    expect(nameOf('functions_get', 'get', 'functions_get')).toBe('functions_get');
  });
});

test('a call is run, shown and kept as it was repaired, and goes back as the model wrote it', async () => {
  const world = await sessionWorld(
    { tools: [tool('get_weather', () => 'sunny')] },
    scriptedModel(calls(['functions_get_weather', { city: 'Rome' }]), says('Sunny.')),
  );
  await world.say('hi');
  await world.settle();
  const slots = await world.slots();
  expect(resultsOf(slots)[0]).toMatchObject({ name: 'get_weather', outcome: 'ok', content: 'sunny' });
  const asked = slots.find((slot) => slot.kind === 'model');
  const reply = asked?.kind === 'model' ? asked.reply : undefined;
  expect(reply?.content).toMatchObject([{ type: 'tool_use', name: 'functions_get_weather' }]);
  expect(callsOf(reply)).toMatchObject([{ name: 'get_weather', input: { city: 'Rome' } }]);
  expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain('"functions_get_weather"');
  const started = (await world.events()).filter(({ type }) => type === 'TOOL_CALL_START');
  expect(started).toMatchObject([{ toolCallName: 'get_weather' }]);
});

test('a reply without anything to repair is stored as before', async () => {
  const world = await sessionWorld(
    { tools: [tool('get_weather', () => 'sunny')] },
    scriptedModel(calls(['get_weather', {}]), says('Sunny.')),
  );
  await world.say('hi');
  await world.settle();
  const [asked] = await world.slots();
  expect(asked?.kind === 'model' && asked.reply && 'read' in asked.reply).toBe(false);
});
