/** The step names its deciders: the user who approved a call, denied it, answered a question, or rejected part of a plan. */

import { expect, test } from 'vitest';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { stepsIn, toStepInfo } from '../../../shared/agent/events/steps.ts';
import type { ToolCall } from '../../../shared/agent/session/slots.ts';
import { reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { runCalls } from '../../support/queued-calls.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { notedTool } from './reading.fixture.ts';

const calling = (...calls: ToolCall[]) =>
  reply({ stop: 'tool_use', content: calls.map((call) => ({ type: 'tool_use', ...call })), calls });

const pay = (where?: 'queue') => ({
  ...notedTool('pay', 'once').tool,
  approval: 'always' as const,
  ...(where && { where }),
});

const waitsOf = async (world: SessionWorld) => (await world.view()).session.batch?.waits ?? [];

/** The calls of each step as people see them. */
const told = async (world: SessionWorld) =>
  stepsIn(await world.slots())
    .map(toStepInfo)
    .flatMap(({ calls }) =>
      calls.map(({ id, outcome, decision, decidedBy }) => [id, outcome, decision, decidedBy]),
    );

test('of one batch, the users who approved one call and denied another', async () => {
  const model = scriptedModel(
    calling({ id: 'c1', name: 'pay', input: { n: 1 } }, { id: 'c2', name: 'pay', input: { n: 2 } }),
    says('Done.'),
  );
  const world = await sessionWorld({ tools: [pay()] }, model);
  await world.say('Pay');
  await world.settle();
  const [first, second] = await waitsOf(world);
  await decide(world.key, first?.id ?? '', { approved: true, by: 'ann' }, world);
  await decide(world.key, second?.id ?? '', { approved: false, by: 'eve', note: 'Too much.' }, world);
  await world.settle();
  expect(await told(world)).toEqual([
    ['c1', 'ok', 'approved', 'ann'],
    ['c2', 'refused', 'denied', 'eve'],
  ]);
});

test('the user who denied a call is still named if the others ran from the queue', async () => {
  const model = scriptedModel(
    calling({ id: 'c1', name: 'pay', input: { n: 1 } }, { id: 'c2', name: 'pay', input: { n: 2 } }),
    says('Done.'),
  );
  const world = await sessionWorld({ tools: [pay('queue')] }, model);
  await world.say('Pay');
  await world.settle();
  const [first, second] = await waitsOf(world);
  await decide(world.key, first?.id ?? '', { approved: true, by: 'ann' }, world);
  await decide(world.key, second?.id ?? '', { approved: false, by: 'eve' }, world);
  await world.settle();
  await runCalls(world);
  await world.settle();
  expect(await told(world)).toEqual([
    ['c1', 'ok', 'approved', 'ann'],
    ['c2', 'refused', 'denied', 'eve'],
  ]);
});

test.each([
  [true, 'ok', 'answered'],
  [false, 'refused', 'denied'],
] as const)('the user who answered a question, or declined: %s', async (approved, outcome, decision) => {
  const model = scriptedModel(
    calling({ id: 'q1', name: 'ask_user', input: { question: 'Which one?' } }),
    says('Noted.'),
  );
  const world = await sessionWorld({ tools: [askUser] }, model);
  await world.say('Choose');
  await world.settle();
  const [asked] = await waitsOf(world);
  await decide(world.key, asked?.id ?? '', { approved, by: 'ann', note: 'The red one' }, world);
  await world.settle();
  expect(await told(world)).toEqual([['q1', outcome, decision, 'ann']]);
});

test('no user is named without a decision', async () => {
  const model = scriptedModel(calling({ id: 'c1', name: 'pay', input: { n: 1 } }), says('Stopped.'));
  const world = await sessionWorld({ tools: [pay()] }, model);
  await world.say('Pay');
  await world.settle();
  await world.clock.advance(8 * 86_400_000);
  await world.settle();
  expect((await told(world)).map(([, , decision, by]) => [decision, by])).toEqual([[undefined, undefined]]);
});
