import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type KeptRun, runsIn, withRun } from '../../testing/evals/history.ts';
import { Failed } from '../ends.ts';

/** The file with earlier runs, beside the baseline: `baseline.json` has `baseline.history.jsonl`. */
export const historyFileOf = (baselineFile: string): string =>
  `${baselineFile.replace(/\.json$/, '')}.history.jsonl`;

/** The runs in the file, oldest first; none if there is no file. Rejects with {@link Failed} if it cannot be read. */
export const readHistory = async (path: string): Promise<KeptRun[]> => runsIn(await textIn(path));

/** Adds a run to the file, and makes the file and its folder. */
export async function keepRun(path: string, run: KeptRun): Promise<void> {
  const text = withRun(await textIn(path), run);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function textIn(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new Failed(`${path} cannot be read: ${(error as Error).message}`);
  }
}
