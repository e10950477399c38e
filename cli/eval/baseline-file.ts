import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Baseline } from '../../testing/evals/baseline.ts';
import { Failed } from '../ends.ts';

/** The baseline in a file; undefined if there is none. Rejects with {@link Failed} if the file is something else. */
export async function readBaseline(path: string): Promise<Baseline | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failed(`${path} cannot be read: ${(error as Error).message}`);
  }
  const parsed = Baseline.safeParse(json(text));
  if (parsed.success) return parsed.data;
  throw new Failed(`${path} is not a baseline of steploop eval: delete it, or overwrite it with --accept.`);
}

/** Writes it, and makes its folder. */
export async function keepBaseline(path: string, baseline: Baseline): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(baseline, null, 2)}\n`);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
