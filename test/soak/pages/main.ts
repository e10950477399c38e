/** `npm run soak:pages`: see docs/promises.md. */

import { optionsOf, whole } from '../../support/command-line.ts';
import { runSoak } from './run.ts';

const values = optionsOf(
  `npm run soak:pages -- [options]

Pages leave and return while calls of their tools wait: each call must be answered once, by a page that has the tool.

  --pages N   pages, each with a session of its own (50)
  --seed N    what goes wrong when; by default something else each time`,
  {
    pages: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
);
const pages = whole('pages', values.pages);
const seed = whole('seed', values.seed, 0);

const { wrong, ...figures } = await runSoak({ seed, pages, say: (line) => console.error(line) });
for (const what of wrong) console.error(`WRONG ${what}`);
console.log(
  [...Object.entries(figures), ['wrong', wrong.length]].map(([name, value]) => `${name}=${value}`).join(' '),
);
process.exit(wrong.length === 0 ? 0 : 1);
