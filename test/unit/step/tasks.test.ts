import { describe, expect, test } from 'vitest';
import { askOf } from '../../../shared/agent/entrypoints/accept.ts';
import {
  calls,
  changed,
  type Scripted,
  says,
  scriptedModel,
  usage,
} from '../../../testing/scripted-model.ts';
import { tasks } from '../../../tools/tasks.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { get, run, small } from './folds.fixture.ts';
import { custom, endings, resultsOf, tool } from './reading.fixture.ts';
import { type Definition, drive, sameWhenKilled } from './rows.fixture.ts';

const definition: Definition = { tools: [tasks], guardrails: 'attocode' };
const adds = (...add: string[]): Scripted => calls(['tasks', { add }]);
const completed = { state: 'completed', reason: 'completed' };

describe('T32: open tasks', () => {
  test('T32: an answer is sent back with the next task until all of them are done', async () => {
    const { end, told, internals, events } = await drive(definition, [
      adds('Read the issue', 'Mend it'),
      calls(['tasks', { start: 1 }]),
      says('The issue is about a date.'),
      calls(['tasks', { done: [1] }]),
      says('It is about the month.'),
      calls(['tasks', { done: '2' }]),
      says('It is mended.'),
    ]);
    expect(end).toEqual({ ...completed, steps: 7 });
    expect(told).toEqual(['next_task', 'next_task']);
    expect(internals[0]?.text).toContain('Go on with task 1, "Read the issue"');
    expect(internals[1]?.text).toContain('Go on with task 2, "Mend it"');
    expect(
      custom(events, 'steploop.tasks')
        .at(-1)
        ?.tasks.map(({ state }) => state),
    ).toEqual(['done', 'done']);
    expect(endings(events)[0]).not.toHaveProperty('openTasks');
  });

  test('T32: with a blocked task left the run ends as open_tasks, and reports how many there are', async () => {
    const { end, events, world } = await drive(definition, [
      adds('Ask for the key'),
      calls(['tasks', { block: 1, why: 'nobody has the key' }]),
      says('I cannot go on.'),
    ]);
    expect(end).toEqual({ state: 'error', reason: 'open_tasks', steps: 3 });
    expect(endings(events)[0]).toMatchObject({
      guard: 'tasks',
      openTasks: { pending: 1, inProgress: 0, blocked: 1 },
    });
    const { session } = await world.view();
    expect(session.metadata.guardrails.tasks).toMatchObject({ list: [{ id: 1, state: 'blocked' }] });
  });

  test('T32: answers that leave the list unchanged are sent back three times, then the run ends', async () => {
    const { end, told } = await drive(definition, [
      adds('One'),
      ...Array(4).fill(says('It is all done now.')),
    ]);
    expect(told).toEqual(['next_task', 'next_task', 'next_task']);
    expect(end).toEqual({ state: 'error', reason: 'open_tasks', steps: 5 });
  });

  /** A reply that uses 85 % of the tokens of a run. */
  const large = (...wanted: Parameters<typeof calls>) => changed(calls(...wanted), usage(84_000, 1_000));
  const forced = { ...definition, limits: { tokenBudget: 100_000 } };

  test('T32: with open tasks, a text that is forced because the budget is low ends the run as token_budget', async () => {
    const { end, told, events } = await drive(forced, [
      large(['tasks', { add: ['One', 'Two'], start: 1 }]),
      says('I have done half of One.'),
    ]);
    expect(end).toEqual({ state: 'budget_exceeded', reason: 'token_budget', steps: 2 });
    expect(told).toEqual(['force_text']);
    expect(endings(events)[0]).toMatchObject({
      guard: 'tasks',
      code: 'open_tasks_over_budget',
      openTasks: { pending: 1, inProgress: 1, blocked: 0 },
    });
  });

  test.each([
    { what: 'without open tasks', more: {}, tasks: { drop: [1] }, code: undefined },
    {
      what: 'by default, with open tasks',
      more: { guardrails: {} },
      tasks: { start: 1 },
      code: 'open_tasks_left',
    },
  ])('T32: $what, the forced text is the answer', async ({ more, tasks: change, code }) => {
    const { end, events } = await drive({ ...forced, ...more }, [
      large(['tasks', { add: ['One'] }], ['tasks', change]),
      says('I have done half of One.'),
    ]);
    expect(end).toMatchObject(completed);
    expect(endings(events)[0]?.code).toBe(code);
  });

  test('T32: a requested summary is no ending by the budget', async () => {
    const world = await sessionWorld(definition, scriptedModel());
    world.model.answer(async () => {
      await askOf(world.key, 'wrap_up', 'ask1', world);
      return calls(['tasks', { add: ['One'] }]);
    }, says('{"findings": []}'));
    await world.say('Go.');
    await world.settle();
    expect((await world.view()).session).toMatchObject(completed);
  });

  test('T32: an unneeded list is no reason to continue', async () => {
    const { end } = await drive(definition, [
      adds('One', 'Two'),
      calls(['tasks', { drop: [1, 2] }]),
      says('Good.'),
    ]);
    expect(end).toMatchObject(completed);
  });

  test('T32: deaths in the middle change nothing of the list', async () => {
    await sameWhenKilled(() => ({
      definition,
      script: [
        adds('One', 'Two'),
        calls(['tasks', { start: 1 }], ['tasks', { done: 1 }], ['tasks', { add: 'Three' }]),
        says('One is done.'),
        calls(['tasks', { done: [2, 3] }]),
        says('All are done.'),
      ],
    }));
  });

  test('T32: calls of one batch see the list as earlier calls have changed it', async () => {
    const { slots } = await drive({ tools: [tasks] }, [
      calls(['tasks', { add: ['One'] }], ['tasks', { add: 'Two', start: 1 }], ['tasks', { done: [1, 2] }]),
      says('Good.'),
    ]);
    expect(resultsOf(slots).map(({ content }) => content)).toEqual([
      '1. [open] One',
      '1. [in progress] One\n2. [open] Two',
      '1. [done] One\n2. [done] Two',
    ]);
  });

  test.each<{ what: string; input: object; says: string }>([
    { what: 'an unknown task', input: { done: 7 }, says: 'There is no task 7.' },
    { what: 'a block without a reason', input: { add: ['x'], block: 1 }, says: 'Say in "why"' },
    { what: 'too many tasks', input: { add: Array(41).fill('x') }, says: 'expected array to have <=40' },
    { what: 'an invalid key', input: { strat: 1 }, says: 'do you mean "start"' },
  ])('T32: $what changes nothing, and says so', async ({ input, says: said }) => {
    const { slots, world } = await drive({ tools: [tasks] }, [calls(['tasks', input]), says('Good.')]);
    expect(resultsOf(slots)[0]).toMatchObject({ outcome: 'error', content: expect.stringContaining(said) });
    expect((await world.view()).session.metadata.guardrails.tasks).toBeUndefined();
  });

  test('T32: a custom tool keeps no list that is too long for HEAD', async () => {
    const keeps = tool('keeps', (_input, { services }) =>
      services.tasks.keep([{ id: 1, title: 'x'.repeat(9_000), state: 'open' }]),
    );
    const { slots } = await drive({ tools: [keeps] }, [calls(['keeps', {}]), says('Good.')]);
    expect(resultsOf(slots)[0]).toMatchObject({ outcome: 'error' });
  });

  test('T32: the list stays for the next run, where its count restarts', async () => {
    const { world } = await drive(definition, [adds('One'), ...Array(4).fill(says('Done.'))]);
    world.model.answer(calls(['tasks', { done: 1 }]), says('It is done.'));
    await world.say('And now?');
    await world.settle();
    expect((await world.view()).session).toMatchObject(completed);
  });
});

test('T32: a folded context begins with the open tasks', async () => {
  const { slots, end, folds } = await run(
    small({}, { tools: [...(small().tools ?? []), tasks] }),
    {},
    adds('Get six things', 'Say what they are'),
    ...[1, 2, 3, 4, 5, 6, 7].map(get),
    calls(['tasks', { done: [1, 2] }]),
    says('There are six.'),
  );
  expect(folds).not.toHaveLength(0);
  const head = slots.flatMap((slot) => (slot.kind === 'model' && slot.fold ? slot.input : []));
  expect(head.map(({ text }) => text).join('\n')).toContain(
    'Open tasks of your list:\n1. [open] Get six things\n2. [open] Say what they are',
  );
  expect(end).toMatchObject(completed);
});
