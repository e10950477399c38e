import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from '@typescript/typescript6';

const folder = dirname(ts.getDefaultLibFilePath({}));

/**
 * A declaration file of the language, by name: `lib.es2024.d.ts`. In a bundle they are part of the thread
 * (`infra/bundle/typescript.ts`).
 */
export function libOf(name: string): string | undefined {
  if (!/^lib\.[\w.]*d\.ts$/.test(name)) return undefined;
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
}
