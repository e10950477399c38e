import { describe, expect, test } from 'vitest';
import { calls, says } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { loop, looped, read, toldIn } from './loops.fixture.ts';

const edit = tool('edit_file', () => 'ok', { effect: 'once' });
const model = { name: 'test-model', price: { input: 0, output: 0 } };
// A guard sends replies back, so that the run continues: here, text that announces an action (T29).
const intent = { max: 9, onExhausted: 'accept' as const };
const attocode = { model, tools: [edit], guardrails: { preset: 'attocode' as const, intent } };
const talk = () => says("I'll edit the file now.");

describe('T9: replies that only talk', () => {
  test('T9: the second in a row, in a run that continues, brings advice; so does each further one', async () => {
    const { requests, verdicts } = await looped(attocode, talk(), talk(), talk());
    expect(toldIn(requests, 2)).toEqual([]);
    expect(toldIn(requests, 3)).toEqual([expect.stringContaining('last 2 replies only talk')]);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('last 3 replies only talk')]);
    expect(verdicts.filter(({ guard }) => guard === 'only_talk')).toHaveLength(2);
  });

  test('T9: a call in between restarts the count', async () => {
    const { requests } = await looped(attocode, talk(), calls(['edit_file', {}]), talk());
    expect(requests.flatMap((_, i) => toldIn(requests, i + 1))).toEqual([]);
  });

  test('T9: a cut reply does not count', async () => {
    const cut = () => says('It begins', { stop: 'max_tokens' });
    const { requests } = await looped(attocode, cut(), cut(), talk());
    expect(requests.flatMap((_, i) => toldIn(requests, i + 1))).toEqual([]);
  });

  test('T9: 0 is off', async () => {
    const guardrails = { ...attocode.guardrails, nudges: { textOnly: 0 } };
    const { requests } = await looped({ ...attocode, guardrails }, talk(), talk(), talk());
    expect(requests.flatMap((_, i) => toldIn(requests, i + 1))).toEqual([]);
  });

  test('T9: a worker that dies after its reply is kept gives the same advice once', async () => {
    const world = await loop(attocode, talk(), talk(), talk());
    await world.step();
    await world.step();
    world.faults.at('sessions.commit', (_proceed, host) => host.kill());
    await world.step();
    await world.settle();
    const { requests, slice } = await read(world);
    expect(toldIn(requests, 3)).toHaveLength(1);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('last 3 replies')]);
    expect(slice('only_talk')).toMatchObject({ told: 3 });
  });
});
