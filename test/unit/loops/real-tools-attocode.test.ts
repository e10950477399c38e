/** T20, T26 and T27 with the package's own tools, under the preset that they come from. */

import { describe, expect, test } from 'vitest';
import { textsOf } from '../step/reading.fixture.ts';
import { type Asked, each, editOf, outcomes, readOf, run, shell } from './real-tools.fixture.ts';

const attocode = 'attocode';
const as = (n: number, outcome: string): string[] => each(n, () => outcome);

describe('T20: batches, under attocode', () => {
  test('T20: edits of one file run in order, those of other files in parallel, and a command alone', async () => {
    const { results, atOnce } = await run(
      { 'a.ts': 'one', 'b.ts': 'one' },
      [
        [readOf('a.ts'), readOf('b.ts')],
        [
          editOf('a.ts', 'one', 'two'),
          editOf('b.ts', 'one', 'two'),
          editOf('a.ts', 'two', 'three'),
          shell('cat a.ts b.ts'),
        ],
      ],
      attocode,
    );
    expect(outcomes(results)).toEqual(as(6, 'ok'));
    expect(results[5]?.content).toContain('"stdout":"threetwo"');
    // The writes of the first step, and then every second one of a pair.
    expect(atOnce).toEqual(['b.ts', 'b.ts', 'b.ts']);
  });

  test('T20: of 30 calls 25 are accepted, five failures in a row end the batch, and the rest is skipped with a reason', async () => {
    const bad = each(30, (i): Asked => ['write_file', { path: `${'../'.repeat(2)}x${i}`, content: '' }]);
    const { results, end } = await run({ 'a.ts': 'one' }, [bad], attocode);
    expect(outcomes(results)).toEqual([...as(5, 'error'), ...as(20, 'cancelled'), ...as(5, 'refused')]);
    expect(results[0]?.content).toContain('leads out of the workspace');
    expect(results[5]?.content).toContain('in a row have failed, so this one was not run');
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('T20: output of a command is cut at 8,000 characters, and stored whole in a blob', async () => {
    const long = 'x'.repeat(100);
    const { results } = await run({ 'a.ts': `${long}\n`.repeat(150) }, [[shell('cat a.ts')]], attocode);
    expect(results[0]?.content.length).toBeLessThan(8_300);
    expect(results[0]).toHaveProperty('blob');
  });
});

describe('T26: read versions, under attocode', () => {
  test('T26: lines 1 to 10, then 50 to 60: no false hit; an edit makes another version', async () => {
    const lines = each(80, (i) => `line ${i + 1}`).join('\n');
    const { results } = await run(
      { 'a.ts': lines },
      [
        [readOf('a.ts', { offset: 1, limit: 10 })],
        [readOf('a.ts', { offset: 50, limit: 11 })],
        [editOf('a.ts', 'line 55', 'changed')],
        [readOf('a.ts', { offset: 50, limit: 11 })],
      ],
      attocode,
    );
    expect(results[1]?.content).toMatch(/^line 50\n/);
    expect(results[3]?.content).toContain('changed');
    expect(results[3]?.content).not.toContain('line 55');
  });
});

describe('T27: records, under attocode', () => {
  test('T27: a failed edit appears in the reminder of failures (T11), and no longer once it is fixed', async () => {
    const { requests } = await run(
      { 'a.ts': 'one' },
      [[editOf('a.ts', 'absent', 'x')], [editOf('a.ts', 'one', 'two')]],
      attocode,
    );
    const told = (n: number) => textsOf(requests[n], 'user').filter((text) => text.includes('edit_file {'));
    expect(told(1)).toEqual([]);
    expect(told(2)).toEqual([expect.stringContaining('does not occur')]);
  });
});
