import { describe, expect, test } from 'vitest';
import { calls, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { endings, tool } from './reading.fixture.ts';
import { type Definition, drive, read, sameWhenKilled } from './rows.fixture.ts';

/** A fake compiler: each line with "bad" in it is an error. */
const typecheck = (more: Parameters<typeof tool>[2] = {}) =>
  tool(
    'typecheck',
    async (_input, { services: { workspace } }) => {
      const files = await workspace.list();
      const texts = await Promise.all(
        files.map(async ({ path }) => [path, new TextDecoder().decode(await workspace.read(path))] as const),
      );
      const errors = texts.flatMap(([path, text]) =>
        text
          .split('\n')
          .flatMap((line, i) => (line.includes('bad') ? [`${path}(${i + 1},1): error TS1: bad`] : [])),
      );
      return { exitCode: errors.length > 0 ? 2 : 0, errors, count: errors.length };
    },
    { evidence: { verifies: true, compiles: true }, ...more },
  );
const write = tool(
  'write',
  async ({ path, text }, { services: { workspace } }) => workspace.write(String(path), String(text)),
  { effect: 'idempotent', evidence: { workspace: true }, touches: () => [''] },
);
const definition: Definition = { tools: [write, typecheck()], guardrails: 'attocode' };
const writes = (text: string, path = 'a.ts'): Scripted => calls(['write', { path, text }]);
const completed = { state: 'completed', reason: 'completed' };

describe('T30: the compile gate', () => {
  test('T30: an error is reported, and the answer counts when it is fixed', async () => {
    const { end, told, internals, slots } = await drive(definition, [
      writes('good\nbad'),
      says('It is written.'),
      writes('good'),
      says('It is mended.'),
    ]);
    expect({ end, told }).toEqual({ end: { ...completed, steps: 4 }, told: ['compile_errors'] });
    expect(internals[0]?.text).toContain('a.ts(2,1): error TS1: bad');
    expect(slots.filter((slot) => slot.kind === 'tools' && slot.made)).toHaveLength(2);
  });

  test('T30: eight answers are sent back, and the ninth is allowed through', async () => {
    const { end, told, events } = await drive(definition, [
      writes('bad'),
      ...Array.from({ length: 9 }, (_, i) => says(`It is written, as I said ${i} times.`)),
    ]);
    expect(told).toEqual(Array(8).fill('compile_errors'));
    expect(end).toEqual({ ...completed, steps: 10 });
    expect(endings(events)[0]).toMatchObject({ guard: 'compile', code: 'compile_errors_left' });
  });

  test('T30: by default the run ends instead', async () => {
    const { end } = await drive({ tools: [write, typecheck()], guardrails: { compile: { maxNudges: 1 } } }, [
      writes('bad'),
      says('It is written.'),
      says('It is written as it should be.'),
    ]);
    expect(end).toEqual({ state: 'error', reason: 'verification_failed', steps: 3 });
  });

  test('T30: of many errors the first fifteen are shown, and how many there are', async () => {
    const { internals } = await drive(definition, [
      writes(Array(20).fill('bad').join('\n')),
      says('It is written.'),
      writes('good'),
      says('It is mended.'),
    ]);
    const [nudge] = internals;
    expect(nudge?.text.split('\n')).toHaveLength(16);
    expect(nudge?.text).toContain('The first 15 of 20 errors');
  });

  test('T30: after five edits it is compiled in the middle of the run, which continues with the findings', async () => {
    const { told, slots, end } = await drive(definition, [
      ...[1, 2, 3, 4, 5].map((n) => writes(n === 5 ? 'bad' : `good ${n}`, `${n}.ts`)),
      writes('good', '5.ts'),
      says('It is written.'),
    ]);
    expect(told).toEqual(['compile_errors']);
    expect(slots.filter((slot) => slot.kind === 'tools' && slot.made)).toHaveLength(2);
    expect(end).toEqual({ ...completed, steps: 7 });
  });

  test.each<{ what: string; definition: Definition; path: string }>([
    {
      what: 'a compiler that is missing',
      path: 'a.ts',
      definition: {
        tools: [
          write,
          tool(
            'typecheck',
            () => {
              throw new Error('no typescript');
            },
            { evidence: { compiles: true } },
          ),
        ],
        guardrails: 'attocode',
      },
    },
    { what: 'no compiler', path: 'a.ts', definition: { tools: [write], guardrails: 'attocode' } },
    { what: 'a change of another language', path: 'a.md', definition },
  ])('T30: with $what the answer passes', async ({ definition: of, path }) => {
    const { end, told } = await drive(of, [writes('bad', path), says('It is written.')]);
    expect({ end, told }).toEqual({ end: { ...completed, steps: 2 }, told: [] });
  });

  test('T30: code that the model has compiled itself is not compiled again', async () => {
    const { slots } = await drive(definition, [
      writes('good'),
      calls(['typecheck', {}]),
      says('It compiles.'),
    ]);
    expect(slots.filter((slot) => slot.made)).toEqual([]);
  });

  test('T30: the compiler runs from the queue', async () => {
    const queued: Definition = { tools: [write, typecheck({ where: 'queue' })], guardrails: 'attocode' };
    const world = await sessionWorld(
      queued,
      scriptedModel(writes('bad'), says('It is written.'), writes('good'), says('It is mended.')),
    );
    await world.say('Go.');
    await settleWithCalls(world);
    const { end, told } = await read(world);
    expect({ end, told }).toEqual({ end: { ...completed, steps: 4 }, told: ['compile_errors'] });
  });

  test('T31: compilation is required beside the contract, with its own counts', async () => {
    const { told, end } = await drive(
      { ...definition, guardrails: { preset: 'attocode', verify: { contract: 'verification_passed' } } },
      [writes('bad'), says('It is written.'), writes('good'), calls(['typecheck', {}]), says('It compiles.')],
    );
    expect(told).toEqual(['wants_verification_passed']);
    expect(end).toMatchObject(completed);
  });

  test('T30: deaths in the middle change nothing', async () => {
    await sameWhenKilled(() => ({
      definition,
      script: [writes('bad'), says('It is written.'), writes('good'), says('It is mended.')],
    }));
  });
});
