import type { TestProject } from 'vitest/node';
import { type Found, find, type PieceName, pieces } from './pieces.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The paths of the pieces of the proof, or why they are missing. */
    pieces: Readonly<Record<PieceName, Found>>;
  }
}

/** Fetches the pieces of the proof, one after the other, and says in one line each what is missing. */
export default async function prepare(project: TestProject): Promise<void> {
  const found: Partial<Record<PieceName, Found>> = {};
  for (const name of Object.keys(pieces) as PieceName[]) {
    const one = await find(name);
    if ('missing' in one) console.log(one.missing);
    found[name] = one;
  }
  project.provide('pieces', found as Record<PieceName, Found>);
}
