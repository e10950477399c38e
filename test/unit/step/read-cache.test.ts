import { describe, expect, test } from 'vitest';
import { calls, type Scripted, says } from '../../../testing/scripted-model.ts';
import { resultsOf, tool } from './reading.fixture.ts';
import { drive, sameWhenKilled } from './rows.fixture.ts';

/** Files that can be read by lines, changed and searched; `ran` lists the calls that really ran. */
function workspace() {
  const ran: string[] = [];
  const version = new Map<string, number>();
  const done = new Set<string>();
  const look = (name: string) =>
    tool(
      name,
      ({ path = '*', from = 1 }) => {
        ran.push(`${name} ${path}:${from}`);
        return `${path}:${from} v${version.get(String(path)) ?? 0}`;
      },
      { cacheable: true },
    );
  const change = tool(
    'edit_file',
    ({ path }, { idempotencyKey }) => {
      ran.push(`edit ${path}`);
      if (!done.has(idempotencyKey)) version.set(String(path), (version.get(String(path)) ?? 0) + 1);
      done.add(idempotencyKey);
      return 'edited';
    },
    { effect: 'idempotent' },
  );
  const bash = tool('bash', () => ({ exitCode: 0 }), { effect: 'idempotent' });
  return { ran, tools: [look('read_file'), look('search'), change, bash] };
}

const read = (path: string, from = 1) => calls(['read_file', { path, from }]);
const edit = (path: string) => calls(['edit_file', { path }]);
const search = () => calls(['search', { words: 'x' }]);

async function run(...script: Scripted[]) {
  const { ran, tools } = workspace();
  const drove = await drive({ tools, guardrails: 'hamr' }, [...script, says('It says v0.')]);
  return { ...drove, ran, contents: resultsOf(drove.slots).map(({ content }) => content) };
}

describe('T26, H7: unchanged reads', () => {
  test('T26: lines 1 to 10, then 50 to 60: no false hit', async () => {
    const { ran, contents } = await run(read('a.ts', 1), read('a.ts', 50));
    expect(ran).toEqual(['read_file a.ts:1', 'read_file a.ts:50']);
    expect(contents).toEqual(['a.ts:1 v0', 'a.ts:50 v0']);
  });

  test('T26: the same lines are not read again, and look the same to the model', async () => {
    const { ran, contents, slots } = await run(read('a.ts'), read('b.ts'), read('a.ts'));
    expect(ran).toHaveLength(2);
    expect(contents[2]).toBe(contents[0]);
    expect(resultsOf(slots)[2]).toMatchObject({ outcome: 'ok', cached: true, durationMs: 0 });
  });

  test('H7: read a, read b, edit a, read a, read b: a is read again, b is not', async () => {
    const { ran, contents } = await run(
      read('a.ts'),
      read('b.ts'),
      edit('./a.ts'),
      read('a.ts'),
      read('b.ts'),
    );
    expect(ran).toEqual(['read_file a.ts:1', 'read_file b.ts:1', 'edit ./a.ts', 'read_file a.ts:1']);
    expect(contents).toHaveLength(5);
  });

  test.each<{ what: string; between: Scripted; again: () => Scripted; times: number }>([
    { what: 'any change invalidates a search', between: edit('z.ts'), again: search, times: 2 },
    ...(
      [
        { what: 'an unknown command invalidates everything', command: 'make', times: 2 },
        { what: 'a command that only reads invalidates nothing', command: 'ls -la && cat a.ts', times: 1 },
        { what: 'a command invalidates its target', command: 'sed -i s/v/w/ a.ts', times: 2 },
        {
          what: 'a redirection invalidates its target',
          command: 'echo x > src/a.ts',
          path: 'a.ts',
          times: 2,
        },
        { what: 'a command leaves other files', command: 'rm b.ts; mv c.ts d.ts; touch e.ts', times: 1 },
        { what: 'a listing is read again', command: 'rm src/b.ts', path: 'lib', times: 2 },
        { what: 'a folder may have any file', command: 'rm -r src', path: 'a.ts', times: 2 },
        { what: 'an absolute path may be any', command: 'touch /work/b.ts', times: 2 },
        { what: 'a command elsewhere may mean any file', command: 'touch b.ts', cwd: 'src', times: 2 },
      ] as { what: string; command: string; path?: string; cwd?: string; times: number }[]
    ).map(({ what, command, path = 'a.ts', cwd, times }) => ({
      what,
      between: calls(['bash', { command, ...(cwd && { cwd }) }]),
      again: () => read(path),
      times,
    })),
    { what: 'a listing covers its files', between: edit('src/a.ts'), again: () => read('src'), times: 2 },
    { what: 'a path that may be the same', between: edit('/work/a.ts'), again: () => read('a.ts'), times: 2 },
    {
      what: 'another read changes nothing',
      between: calls(['search', {}]),
      again: () => read('a.ts'),
      times: 1,
    },
  ])('H7: $what', async ({ between, again, times }) => {
    const { ran } = await run(again(), between, again());
    const first = ran[0];
    expect(ran.filter((line) => line === first)).toHaveLength(times);
  });

  test('H7: after a change of the folder, the paths of later commands are not known', async () => {
    const sh = (command: string) => calls(['bash', { command }]);
    const { ran } = await run(
      ...[read('src/a.ts'), sh('cd src && ls'), read('src/a.ts')],
      ...[sh('touch b.ts'), read('src/a.ts')],
    );
    expect(ran).toEqual(['read_file src/a.ts:1', 'read_file src/a.ts:1']);
  });

  test('H7: the cache is not used in a batch that changes something', async () => {
    const { contents } = await run(
      read('a.ts'),
      calls(['edit_file', { path: 'a.ts' }], ['read_file', { path: 'a.ts', from: 1 }]),
    );
    expect(contents.at(-1)).toBe('a.ts:1 v1');
  });

  test('H7: the next run reads again', async () => {
    const { world, ran } = await run(read('a.ts'));
    world.model.answer(read('a.ts'), says('It says v0.'));
    await world.say('Again.');
    await world.settle();
    expect(ran).toHaveLength(2);
  });

  test('T26: deaths in the middle change nothing', async () => {
    await sameWhenKilled(() => ({
      definition: { tools: workspace().tools, guardrails: 'hamr' },
      script: [read('a.ts'), read('a.ts'), edit('a.ts'), read('a.ts'), says('It says v1.')],
    }));
  });
});
