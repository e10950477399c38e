import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutants/all.ts';
import { foundBy } from './mutants/found-by.ts';

/** A mutant whose place has moved breaks nothing, and so tests nothing: whoever moves the line mends the mutant. */
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

test('what is known of a mutant is of one that there is', () => {
  const names = mutants.map(({ name }) => name);
  expect(Object.keys(foundBy).filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
