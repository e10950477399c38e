/** `npm run check:words` */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { optionsOf } from '../test/support/command-line.ts';
import { measures } from './words/measures.ts';
import { passagesOf } from './words/passages.ts';

const { list: listed } = optionsOf(
  `npm run check:words -- [--list]

Counts wording that reads as translated, and fails if there is more of it than the ceilings in scripts/words/measures.ts.

  --list   print the places as well`,
  { list: { type: 'boolean', default: false } },
);
const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(?:tsx?|mjs|md)$/.test(path) && !path.startsWith('scripts/words/'));

const counts = new Map(measures.map(({ name }) => [name, 0]));
let lines = 0;
for (const path of files) {
  const text = readFileSync(path, 'utf8');
  lines += text.split('\n').length;
  const passages = passagesOf(path, text);
  for (const { name, find, except } of measures) {
    if (except?.test(path)) continue;
    for (const passage of passages)
      for (const found of passage.matchAll(find)) {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        if (listed) console.log(`${path}: ${passage.slice(Math.max(0, found.index - 40), found.index + 60)}`);
      }
  }
}

const failed = measures.filter(({ name, most }) => (counts.get(name) ?? 0) > most);
for (const { name, most } of measures) {
  const count = counts.get(name) ?? 0;
  const rate = ((count * 1000) / lines).toFixed(2);
  console.log(`words: ${count} ${name} (${rate} a thousand lines; at most ${most})`);
}
for (const { name, advice } of failed)
  console.error(`words: there are more ${name} than before. ${advice} See: npm run check:words -- --list`);
process.exit(failed.length > 0 ? 1 : 0);
