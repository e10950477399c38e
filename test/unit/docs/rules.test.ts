/** docs/rules.md: how far each row of the specification is implemented, and where it is tested. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';

const upTo = (letter: string, most: number, from = 1) =>
  Array.from({ length: most - from + 1 }, (_, i) => `${letter}${from + i}`);

/** Every row of the specification that has an id. */
const ids = [
  ...upTo('A', 23),
  ...upTo('H', 20),
  ...upTo('L', 16),
  ...upTo('T', 34),
  ...['U1', 'U1b', 'U1c', 'U1d', 'U1e', 'U1f', ...upTo('U', 12, 2)],
  ...['S-1', 'S-2', 'S-4', 'S-5'],
];

const states = ['whole', 'reading', 'part', 'later'];

const page = await readFile(new URL('../../../docs/rules.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| [AHLTUS]-?\d/.test(line))
  .map((line) => {
    const [id = '', what = '', state = '', note = '', tested = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    const tests = [...tested.matchAll(/`([^`]+)`(?: “([^”]+)”)?/g)].map(([, path = '', words]) => ({
      path,
      words,
    }));
    return { id, what, state, note, tests };
  });

test('docs/rules.md has every row once, in the order of the specification', () => {
  expect(rows.map(({ id }) => id)).toEqual(ids);
});

describe.each(rows)('$id', ({ id, what, state, note, tests }) => {
  test('has a description, a state, and a reading if it is open', () => {
    expect(what).not.toBe('');
    expect(states).toContain(state);
    if (state !== 'whole') expect(note).not.toBe('');
  });

  test('is tested where the table says', async () => {
    expect(tests.length > 0).toBe(state !== 'later');
    for (const { path, words } of tests) {
      const file = new URL(`../../${path}`, import.meta.url);
      expect(existsSync(file), path).toBe(true);
      const source = await readFile(file, 'utf8');
      if (words) expect(source, `${path}: ${words}`).toContain(words);
      else expect(source, path).toMatch(new RegExp(`(?<![\\w-])${id}(?![\\w-])`));
    }
  });
});
