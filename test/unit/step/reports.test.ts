import { describe, expect, test } from 'vitest';
import type { Failure, ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { meter } from '../../../shared/aws/meter.ts';
import { MAX_ENDING_MESSAGE } from '../../../shared/contract/session.ts';
import { calls, fails, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { written } from '../../support/written.ts';
import { tool } from './reading.fixture.ts';

async function ran(world: SessionWorld, text = 'Go.') {
  await world.say(text);
  await world.settle();
  return world;
}

const failed = (failure: Failure): ModelOutcome => ({ kind: 'failed', failure });

describe('the reports of a step for operators', () => {
  test('each committed step is one report, with its own tokens, dollars and times', async () => {
    let world: SessionWorld | undefined;
    const get = tool('slow', () => world?.clock.sleep(700));
    world = await sessionWorld({ tools: [get] }, scriptedModel(calls(['slow', {}]), says('Done.')));
    await ran(world);
    const key = { tenant: 'acme', sessionId: 's1' };
    const { totals } = (await world.view()).session;
    expect(world.meter.steps).toMatchObject([
      {
        key,
        agent: 'test',
        run: 's1-0',
        step: 1,
        attempt: 1,
        toolsMs: 700,
        toolCalls: 1,
        ending: 'continues',
      },
      { key, run: 's1-0', step: 2, attempt: 1, toolsMs: 0, toolCalls: 0, ending: 'ended' },
    ]);
    const sum = (name: 'input' | 'output') =>
      world.meter.steps.reduce((total, { usage }) => total + usage[name], 0);
    expect([sum('input'), sum('output')]).toEqual([totals.input, totals.output]);
    expect(world.meter.steps[1]?.ended).toMatchObject({ state: 'completed', reason: 'completed' });
  });

  test('a failed model call is reported with its code and its next try', async () => {
    const world = await ran(await sessionWorld({}, scriptedModel(fails(), says('Done.'))));
    const [first, second] = world.meter.steps;
    expect(first).toMatchObject({ step: 0, ending: 'continues', failure: expect.any(String) });
    expect(first?.delayMs).toBeGreaterThan(0);
    expect(second).toMatchObject({ step: 1, ending: 'ended' });
  });

  test('an attempt after a death reports its number', async () => {
    const world = await sessionWorld(
      {},
      scriptedModel(() => world.kill(), says('Done.')),
    );
    await ran(world);
    expect(world.meter.steps).toMatchObject([{ step: 1, attempt: 2 }]);
  });

  test('a tool that throws or takes too long is reported with its error', async () => {
    const failing = tool('get', () => {
      throw new TypeError('no');
    });
    const never = tool('wait', () => new Promise(() => {}), { timeoutSeconds: 2 });
    const script = scriptedModel(calls(['get', {}], ['wait', {}]), says('Done.'));
    const world = await ran(await sessionWorld({ tools: [failing, never] }, script));
    expect(world.meter.failures).toMatchObject([
      { tool: 'get', code: 'failed', error: new TypeError('no') },
      { tool: 'wait', code: 'timeout', durationMs: 2_000 },
    ]);
  });
});

describe('the last ending of a session', () => {
  test('is kept with its message, and stays during the next run', async () => {
    const failure = {
      kind: 'account',
      code: 'authentication_error',
      message: 'The key was refused.',
    } as const;
    const world = await ran(await sessionWorld({}, scriptedModel(failed(failure), says('Hello.'))));
    const { lastEnding } = (await world.view()).session;
    expect(lastEnding).toMatchObject({
      state: 'error',
      reason: 'provider_error',
      code: 'authentication_error',
    });
    expect(lastEnding?.message).toContain('The key was refused.');
    expect(lastEnding?.at).toBe(world.clock.now());

    await world.say('Again.');
    expect((await world.view()).session.lastEnding).toEqual(lastEnding);
    await world.settle();
    expect((await world.view()).session.lastEnding).toMatchObject({
      state: 'completed',
      reason: 'completed',
    });
  });

  test('is stored in few bytes', async () => {
    const failure = { kind: 'fatal', code: 'invalid_request', message: 'x'.repeat(10_000) } as const;
    const world = await ran(await sessionWorld({}, scriptedModel(failed(failure))));
    expect((await world.view()).session.lastEnding?.message).toHaveLength(MAX_ENDING_MESSAGE);
  });
});

test('no text of people, models and tools is in the log', async () => {
  const secret = 'hunter2';
  const get = tool('get', () => `the result ${secret}`);
  const throwing = tool('put', () => {
    throw new Error(`cannot put ${secret}`, { cause: new Error(secret) });
  });
  const script = scriptedModel(
    calls(['get', { key: secret }], ['put', { value: secret }], ['nope', { value: secret }]),
    says(`<tool_call>${secret}</tool_call>`),
    says(`<tool_call>${secret}</tool_call>`),
    says(`<tool_call>${secret}</tool_call>`),
    says(`<tool_call>${secret}</tool_call>`),
  );
  const world = await sessionWorld({ system: `Keep ${secret}.`, tools: [get, throwing] }, script);
  await ran(world, `My password is ${secret}.`);
  const lines = written(() => {
    for (const each of world.meter.verdicts) meter.verdict(each);
    for (const each of world.meter.failures) meter.callFailed(each);
    for (const each of world.meter.steps) meter.step(each);
  });
  expect(lines.map(({ message }) => message)).toContain('a tool failed');
  expect(lines.map(({ message }) => message)).toContain('a run ended badly');
  expect(JSON.stringify(lines)).not.toContain(secret);
});
