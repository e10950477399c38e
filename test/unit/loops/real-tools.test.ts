/** H6 to H11 and L1 with the package's own tools: guards recognize them by their declarations and their calls. */

import { describe, expect, test } from 'vitest';
import { classify, readsFiles } from '../../../shared/agent/guardrails/loops/classify.ts';
import { changesFiles, isShell } from '../../../shared/agent/session/facts.ts';
import type { Tool } from '../../../shared/agent/tools/tool.ts';
import { httpFetch, memoryTools } from '../../../tools/index.ts';
import { toldIn } from './loops.fixture.ts';
import { type Asked, each, editOf, hamr, outcomes, readOf, run, shell, tools } from './real-tools.fixture.ts';

const toolError = { state: 'error', reason: 'tool_error' };

describe('H6 to H11 on the tools of the package, under hamr', () => {
  test('H6: write on an existing path → error result', async () => {
    const { results } = await run({ 'a.ts': 'one' }, [[['write_file', { path: 'a.ts', content: 'two' }]]]);
    expect(results[0]).toMatchObject({ outcome: 'error', content: expect.stringContaining('a.ts') });
  });

  test('H6: an edit is exact, of one place, and of text that was read; other argument names are understood, wrong ones reported', async () => {
    const { results } = await run({ 'a.ts': 'one one' }, [
      [shell('echo two > b.ts')],
      [editOf('b.ts', 'two', 'x')],
      [editOf('a.ts', 'one', 'x')],
      [['edit_file', { file_path: 'a.ts', old_text: 'one one', new_text: 'done' }]],
      [['read_file', { pth: 'a.ts' }]],
      [readOf('a.ts')],
    ]);
    expect(outcomes(results)).toEqual(['ok', 'error', 'error', 'ok', 'error', 'ok']);
    expect(results[1]?.content).toContain('Read b.ts with read_file first');
    expect(results[2]?.content).toContain('occurs 2 times');
    expect(results[3]?.content).toContain('+done');
    expect(results[4]?.content).toContain('do you mean "path"?');
    expect(results[5]?.content).toContain('done');
  });

  test('H6: a saved fact is found, also by another form of a word', async () => {
    const { results } = await run({ 'a.ts': 'one' }, [
      [['save_memory', { fact: 'Deployments happen on Fridays.' }]],
      [['search_memory', { query: 'deploying on a friday' }]],
    ]);
    expect(outcomes(results)).toEqual(['ok', 'ok']);
    expect(results[1]?.content).toContain('Deployments happen on Fridays.');
  });

  test('H7: read a, read b, edit a, read a, read b → a re-read, b cached', async () => {
    const { results } = await run({ 'a.ts': 'one', 'b.ts': 'two' }, [
      [readOf('a.ts')],
      [readOf('b.ts')],
      [editOf('a.ts', 'one', 'uno')],
      [readOf('a.ts')],
      [readOf('b.ts')],
    ]);
    expect(results.map(({ cached = false }) => cached)).toEqual([false, false, false, false, true]);
    expect(results[3]?.content).toContain('uno');
    expect(results[4]?.content).toBe(results[1]?.content);
  });

  test('H7, T26: lines 1 to 10, then 50 to 60: no false hit', async () => {
    const lines = each(80, (i) => `line ${i + 1}`).join('\n');
    const { results } = await run({ 'a.ts': lines }, [
      [readOf('a.ts', { offset: 1, limit: 10 })],
      [readOf('a.ts', { offset: 50, limit: 11 })],
      [readOf('a.ts', { limit: 10, offset: 1 })],
    ]);
    expect(results.map(({ cached = false }) => cached)).toEqual([false, false, true]);
    expect(results[1]?.content).toMatch(/^line 50\n/);
  });

  test('H7: a shell invalidates what the workspace records, whatever its words are', async () => {
    const { results } = await run({ 'a.ts': 'one', 'b.ts': 'two' }, [
      [readOf('a.ts')],
      [readOf('b.ts')],
      [shell('ls; cat b.ts')],
      [readOf('a.ts')],
      [shell('f() { sed -i s/one/uno/ "$1"; }; f a.ts')],
      [readOf('a.ts')],
      [readOf('b.ts')],
      [shell('sed -i s/two/due/ b.ts; false')],
      [readOf('b.ts')],
    ]);
    expect(results.map(({ cached = false }) => cached)).toEqual([
      ...[false, false, false, true, false, false, true, false, false],
    ]);
    expect(results[5]?.content).toContain('uno');
    expect(results[8]?.content).toContain('due');
  });

  test('H8: the fifth identical read ends the run, also if the cache has answered, and has a result', async () => {
    const { end, results } = await run(
      { 'a.ts': 'one' },
      each(5, () => [readOf('a.ts')]),
    );
    expect(outcomes(results)).toEqual(['ok', 'ok', 'ok', 'ok', 'refused']);
    expect(end).toMatchObject(toolError);
  });

  test('H8: an edit of that file, by the tool or by a shell, restarts the count', async () => {
    const four = each(4, () => [readOf('a.ts')]);
    const { end } = await run({ 'a.ts': 'one' }, [
      ...four,
      [editOf('a.ts', 'one', 'two')],
      ...four,
      [shell('sed -i s/two/three/ a.ts')],
      ...four,
    ]);
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('H9: three of the same command run, the fourth ends the run; an edit in between clears the count', async () => {
    const ls = () => [shell('ls  -l')];
    const { end, results } = await run({ 'a.ts': 'one' }, each(4, ls));
    expect(outcomes(results)).toEqual(['ok', 'ok', 'ok', 'refused']);
    expect(end).toMatchObject(toolError);
    const edited = [[readOf('a.ts')], ...each(3, ls), [editOf('a.ts', 'one', 'two')], ...each(3, ls)];
    expect((await run({ 'a.ts': 'one' }, edited)).end).toMatchObject({ state: 'completed' });
  });

  test('H10: reads, listings and searches count: 32 done → the next request is warned; 64 done → the 65th is refused, and the run continues', async () => {
    const looks = (i: number): Asked =>
      [
        readOf(`f${i}.ts`),
        ['list_files', { path: `d${i}` }] as Asked,
        ['glob', { pattern: `*${i}*` }] as Asked,
        ['grep', { pattern: `x${i}` }] as Asked,
      ][i % 4] ?? readOf('a');
    const batch = (from: number, n: number) => each(n, (i) => looks(from + i));
    // A missing file is an error of that call, and counts as a read.
    const quiet = { ...hamr, loop: { noMutation: { levels: [] } }, toolErrors: { max: 0 } };
    const { results, requests, end, told } = await run(
      { 'a.ts': 'one' },
      [batch(0, 31), batch(31, 1), batch(32, 32), batch(64, 1), [editOf('a.ts', 'one', 'two')]],
      quiet,
    );
    expect(told(3)).toEqual([]);
    expect(told(4)).toEqual([expect.stringContaining('32 are used, 32 are left')]);
    expect(outcomes(results.slice(0, 64))).not.toContain('refused');
    expect(results[64]).toMatchObject({
      outcome: 'refused',
      content: expect.stringContaining('All 64 reads'),
    });
    expect(requests).toHaveLength(7);
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('H11: eight steps of reading → level 1 before step 9, then 2, then 3 twice; an edit → none', async () => {
    const files = Object.fromEntries(each(12, (i) => [`f${i}.ts`, `one${i}`]));
    const reads = each(11, (i) => [readOf(`f${i}.ts`)]);
    const { told } = await run(files, reads);
    // The first step has written the files.
    expect(each(4, (i) => told(10 + i))).toEqual([
      [expect.stringContaining('make the change now')],
      [expect.stringContaining('in your next step')],
      [expect.stringContaining('IMPORTANT')],
      [expect.stringContaining('IMPORTANT')],
    ]);
    const edits = [...reads.slice(0, 7), [editOf('f0.ts', 'one0', 'two')], ...reads.slice(1, 8)];
    const { requests } = await run(files, edits);
    expect(requests.flatMap((_, i) => toldIn(requests, i + 1))).toEqual([]);
  });
});

describe('L1: how the tools of the package are classified', () => {
  const classOf = (all: readonly Tool[]) =>
    Object.fromEntries(all.map(({ name, effect }) => [name, classify(name, effect)]));

  test('L1: by their declarations', () => {
    expect(classOf([...tools, ...memoryTools(), httpFetch()])).toEqual({
      read_file: 'idempotent',
      list_files: 'idempotent',
      glob: 'idempotent',
      grep: 'idempotent',
      view_image: 'idempotent',
      edit_file: 'mutating',
      write_file: 'mutating',
      bash: 'mutating',
      save_memory: 'mutating',
      search_memory: 'idempotent',
      http_fetch: 'idempotent',
    });
  });

  test('L1: by their names alone the result is the same, as for calls of tools that an agent does not have', () => {
    const all = [...tools, ...memoryTools()];
    const byName = Object.fromEntries(all.map(({ name }) => [name, classify(name, 'unknown')]));
    expect(byName).toEqual(classOf(all));
  });

  test('H4, H9: the ones that change files, and the one that is a shell', () => {
    expect(tools.filter(changesFiles).map(({ name }) => name)).toEqual(['edit_file', 'write_file']);
    expect(tools.filter((tool) => isShell(tool.name, tool)).map(({ name }) => name)).toEqual(['bash']);
  });

  test('H10: the ones that count as reads', () => {
    expect(tools.filter(({ name, effect }) => readsFiles(name, effect)).map(({ name }) => name)).toEqual([
      'read_file',
      'list_files',
      'glob',
      'grep',
      'view_image',
    ]);
  });
});
