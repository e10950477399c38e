import { describe, expect, test } from 'vitest';
import { type PresetName, presets } from '../../../shared/agent/config/presets.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { stepsIn } from '../../../shared/agent/events/steps.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import {
  calls,
  changed,
  fails,
  type Scripted,
  says,
  scriptedModel,
  stops,
  usage,
} from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { coding } from '../loops/runs/coding.ts';
import { operations } from '../loops/runs/operations.ts';
import { pathologies } from '../loops/runs/pathologies.ts';
import { play } from '../loops/runs/play.ts';
import { each, type Run } from '../loops/runs/run.ts';
import { support } from '../loops/runs/support.ts';
import { ending, ofType, tool } from '../step/reading.fixture.ts';
import { endOf, replayed, type Stored, underOwn } from './replayed.ts';

/** What the replay of each stored step says is what the guards said then. */
async function expectSame(stored: Stored, preset: PresetName): Promise<number> {
  const steps = await replayed(stored, preset);
  let spoken = 0;
  for (const { asked, ran } of stepsIn(stored.slots)) {
    const step = steps.find(({ slot }) => slot === asked.n);
    const then = [...asked.verdicts, ...(ran?.verdicts ?? [])];
    expect(step?.heard.map(({ verdict }) => verdict) ?? [], `slot ${asked.n}`).toEqual(then);
    spoken += then.length;
  }
  return spoken;
}

const names = Object.keys(presets) as PresetName[];
const runs: readonly Run[] = [
  ...[support, coding, operations].flatMap((some) => some.slice(0, 2)),
  ...pathologies
    .filter((_, i) => i % 4 === 0)
    .map(({ name, tools, step }) => ({ name, tools, steps: each(22, step) })),
];

describe.each(names)('runs under the preset %s', (preset) => {
  test('the replay says what the guards said then, and ends each run there', async () => {
    let spoken = 0;
    for (const run of runs) {
      const played = await play(run.tools, run.steps, { guardrails: preset }, 3);
      spoken += await expectSame(played, preset);
      expect(endOf(await replayed(played, preset)), run.name).toEqual(played.end);
    }
    expect(spoken).toBeGreaterThan(3);
  }, 60_000);
});

const lookup = tool('lookup', ({ n }) => `number ${n}`);
const broken = tool('broken', () => {
  throw new Error('connect ECONNREFUSED');
});
const edit = tool('edit_file', () => 'done', { effect: 'idempotent' });

const dear = (outcome: ModelOutcome): ModelOutcome => changed(outcome, usage(40_000, 2_000));
const answers = (n: number): ModelOutcome[] => each(n, () => says('All of it is done: 42.'));

/** Sessions by what is special in them; `more` happens after the first run. */
const sessions: Readonly<
  Record<string, { script: Scripted[]; more?: (world: SessionWorld) => Promise<unknown> }>
> = {
  'replies that announce work': { script: each(3, () => says("I'll read the file now.")) },
  'replies that are cut': {
    script: [stops('max_tokens', 'It is'), stops('max_tokens', ' a long'), says(' story.')],
  },
  'empty replies': { script: each(4, () => says('')) },
  'thinking alone': {
    script: [changed(says(''), { content: [{ type: 'thinking', thinking: 'It is 42.', signature: 's' }] })],
  },
  'a call that is written as text': {
    script: each(3, () => says('<tool_call>{"name": "lookup", "arguments": {"n": 1}}</tool_call>')),
  },
  'a refusal': { script: [stops('refusal', '')] },
  'a budget that runs out': { script: each(9, (n) => dear(calls(['lookup', { n }]))) },
  'a model that fails in between': {
    script: [calls(['lookup', { n: 1 }]), fails(), fails(), calls(['lookup', { n: 2 }])],
  },
  'tools that fail': { script: each(7, (n) => calls(['broken', { n }], ['lookup', { n }])) },
  'a tool that does not exist': { script: each(4, () => calls(['absent', {}])) },
  'several runs': {
    script: [calls(['lookup', { n: 1 }]), ...answers(1), ...each(4, () => calls(['lookup', { n: 1 }]))],
    more: async (world) => {
      await world.say('And again?');
      await world.settle(400);
    },
  },
  'work, and then an answer without a proof': {
    script: [calls(['edit_file', { path: 'a.ts', text: 'a' }]), ...answers(1)],
  },
};

describe.each(names)('sessions under the preset %s', (preset) => {
  test.each(Object.entries(sessions))(
    '%s: the replay says what the guards said then',
    async (_, { script, more }) => {
      const tools = [lookup, broken, edit];
      const price = { input: 3, output: 15 };
      const world = await sessionWorld(
        { tools, guardrails: preset, model: { name: 'test-model', price } },
        scriptedModel(...script, ...answers(8)),
        { lax: 'the replies are odd' },
      );
      await world.say('Fix a.ts: it must say 42.');
      await world.settle(400);
      await more?.(world);
      const stored = await storedOf(world, tools);
      await expectSame(stored, preset);
      expect(endOf(await replayed(stored, preset))).toEqual(ending(await world.events()));
    },
  );
});

test.each([true, false])(
  'a person decides on a refused call (%s): the guard has heard it in the replay too',
  async (approved) => {
    const tools = [lookup];
    const guardrails = 'praisonai-current';
    const script = each(24, () => calls(['lookup', { n: 1 }]));
    // Only the window speaks: the other counts would end the run before it asks.
    const off = { warn: 0, block: 0, halt: 0 };
    const loop = { counts: { idempotent: off, mutating: off }, noProgress: { warn: 0, halt: 0 } };
    const world = await sessionWorld(
      { tools, guardrails: { preset: guardrails, loop } },
      scriptedModel(...script, ...answers(3)),
    );
    await world.say('go');
    await world.sessions.subscribe(world.key, 'browser');
    await world.settle(400);
    const asked = ofType(await world.events(), 'RUN_FINISHED').flatMap(({ outcome }) =>
      outcome.type === 'interrupt' ? outcome.interrupts : [],
    );
    await decide(world.key, asked.at(-1)?.id ?? '', { approved, by: 'user:ann' }, world);
    await world.settle(400);
    const stored = await storedOf(world, tools);
    const steps = await underOwn(stored);
    const said = steps.flatMap(({ heard }) => heard.map(({ verdict }) => verdict));
    expect(said).toEqual(stored.slots.flatMap(({ verdicts }) => verdicts));
    expect(said.some(({ kind }) => kind === 'block')).toBe(true);
  },
);

async function storedOf(world: SessionWorld, tools: Stored['tools']): Promise<Stored> {
  const { session } = await world.view();
  const pinned = await world.sessions.definition(session.key.tenant, session.definition);
  if (!pinned) throw new Error('the session has no definition');
  return { session, pinned, tools, slots: await world.slots() };
}
