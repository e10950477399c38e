import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutants/all.ts';
import { foundBy } from './mutants/found-by.ts';

/**
 * A mutant whose place has moved changes nothing, and so tests nothing. A change that moves the line must also update
 * the mutant.
 */
test.each(mutants)('the mutant "$name" finds each of its places once', ({ edits }) => {
  const texts = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const text = texts.get(file) ?? readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(text.split(find).length - 1, `places like "${find}" in ${file}`).toBe(1);
    texts.set(
      file,
      text.replace(find, () => replace),
    );
  }
});

test('the files of tests that kill mutants exist', () => {
  const files = mutants.flatMap(({ tests }) => (tests ? [`../${tests.lane}/${tests.file}`] : []));
  expect([...new Set(files)].filter((file) => !existsSync(new URL(file, import.meta.url)))).toEqual([]);
});

test('every mutant named in found-by.ts exists', () => {
  const names = mutants.map(({ name }) => name);
  expect(Object.keys(foundBy).filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
