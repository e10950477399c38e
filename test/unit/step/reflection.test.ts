import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { confidenceIn } from '../../../shared/agent/guardrails/proof/reflection.ts';
import { calls, changed, says, usage } from '../../../testing/scripted-model.ts';
import { endings, tool } from './reading.fixture.ts';
import { type Definition, drive, sameWhenKilled } from './rows.fixture.ts';

const price = { input: 1, output: 1 };
const reflecting = (more: object = {}, limits: object = {}): Definition => ({
  model: { name: 'test-model', price },
  tools: [tool('get')],
  guardrails: { preset: 'attocode', reflection: { maxRounds: 3, ...more } },
  limits,
});
const sure = (confidence: number | string) => says(`It is 7.\n\nConfidence: ${confidence}`);

describe('T34: reflection', () => {
  test('T34: an answer is examined until the model is confident enough', async () => {
    const { end, told, internals } = await drive(reflecting(), [
      says('It is 7.'),
      calls(['get', { id: 7 }]),
      sure(0.6),
      sure(0.8),
    ]);
    expect(end).toMatchObject({ state: 'completed', reason: 'completed', steps: 4 });
    expect(told).toEqual(['reflect', 'reflect']);
    expect(internals[0]?.text).toContain('"Confidence: N"');
    expect(internals[1]?.text).toContain('a confidence of 0.6');
  });

  test.each([
    { what: 'after three rounds', script: [sure(0.1), sure(0.2), sure(0.3)], rounds: 3 },
    { what: 'when the confidence does not rise', script: [sure(0.5), sure(0.5)], rounds: 2 },
    { what: 'when no confidence is stated', script: [says('It is 7.')], rounds: 1 },
    { what: 'when the confidence cannot be read', script: [sure('high')], rounds: 1 },
  ])('T34: the answer stands $what, and the result says so', async ({ script, rounds }) => {
    const { end, told, events } = await drive(reflecting(), [says('It is 7.'), ...script]);
    expect(end).toMatchObject({ state: 'completed', reason: 'completed' });
    expect(told).toEqual(Array(rounds).fill('reflect'));
    expect(endings(events)[0]).toMatchObject({ guard: 'reflection', code: 'unsure_accepted' });
  });

  test.each([
    { what: 'by default', definition: { guardrails: {} } },
    { what: 'under attocode', definition: { guardrails: 'attocode' as const } },
    { what: 'without money for another reply', definition: reflecting({}, { costLimitUsd: 0.04 }) },
  ])('T34: $what nothing is asked', async ({ definition }) => {
    const { told, end, events } = await drive(definition, [says('It is 7.')]);
    expect(told.filter((reason) => reason === 'reflect')).toEqual([]);
    expect(end).toMatchObject({ reason: 'completed' });
    expect(endings(events)[0]).not.toHaveProperty('code');
  });

  test('T34: the remaining money decides each round', async () => {
    const large = changed(sure(0.5), usage(60_000, 0));
    const definition = reflecting({}, { costLimitUsd: 0.1, tokenBudget: 0 });
    const { told } = await drive(definition, [says('It is 7.'), large]);
    expect(told.filter((reason) => reason === 'reflect')).toHaveLength(1);
  });

  test('T34: after a command that must pass, and not for answers that are objects', async () => {
    const verify = { command: 'make check', repairs: 1 };
    const bash = tool('bash', () => ({ exitCode: 0 }), { effect: 'idempotent' });
    const both = { ...reflecting(), tools: [bash], guardrails: { verify, reflection: { maxRounds: 3 } } };
    const checked = await drive(both, [says('It is 7.'), sure(0.9)]);
    expect(checked.end).toMatchObject({ state: 'completed', reason: 'completed' });
    expect(checked.told).toEqual(['reflect']);
    const answer = z.object({ n: z.number() });
    const object = await drive({ ...reflecting(), answer }, [says('{"n": 7}')]);
    expect(object.told.filter((reason) => reason === 'reflect')).toEqual([]);
  });

  test('T34: a new message starts afresh', async () => {
    const { world } = await drive(reflecting(), [says('It is 7.'), sure(0.9)]);
    world.model.answer(says('It is 8.'), sure(0.9));
    await world.say('And now?');
    await world.settle();
    expect(world.model.left()).toBe(0);
  });

  test('T34: deaths in the middle change no count', async () => {
    await sameWhenKilled(() => ({
      definition: reflecting(),
      script: [says('It is 7.'), sure(0.5), sure(0.9)],
    }));
  });

  test.each([
    ['Confidence: 0.85', 0.85],
    ['**Confidence:** 85 %', 0.85],
    ['confidence = 8/10.', 0.8],
    ['_Confidence_: 90/100', 0.9],
    ['Confidence: .9', 0.9],
    ['Confidence: 1', 1],
    ['Confidence: 0.2\nBetter now.\nConfidence: 0.9', 0.9],
    ['Confidence: 85', undefined],
    ['Confidence: high', undefined],
    ['My confidence is 0.9', undefined],
    ['Confidence: 0.9 of the tests pass', undefined],
    ['', undefined],
  ])('T34: %j states %s', (text, confidence) => {
    expect(confidenceIn(text)).toBe(confidence);
  });
});
