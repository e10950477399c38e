/**
 * The ruler of speed: `npm run bench:ruler [-- --long]`.
 *
 * Runs of 20 steps on the embedded stack, with a model that answers at once, 200 bytes of text and one tool of 1 KB a step: the
 * service calls of a step, counted on the wire, with nobody listening and with one listener. `--long` adds a step whose model
 * speaks for 8 s.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { synthesizeTests } from '../test/support/synthesize.ts';
import { showCalls } from './ruler/calls.ts';

const { values: option } = parseArgs({
  options: { only: { type: 'string', default: 'calls' }, long: { type: 'boolean', default: false } },
});
if (option.only !== 'calls') throw new Error('--only takes calls');

const folder = await mkdtemp(join(tmpdir(), 'steploop-ruler-'));
try {
  await synthesizeTests(folder);
  await showCalls(folder, option.long);
} finally {
  await rm(folder, { recursive: true, force: true });
}
