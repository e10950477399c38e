/** The project that is run: a folder with an app, or one definition alone. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { appOf } from '../app.ts';
import { Failed } from '../ends.ts';

export interface Project {
  /** Where `cdk.json` and `.env` are, and from where paths are told. */
  readonly folder: string;
  /** Absolute path of the definition that is run alone; absent: what the app has. */
  readonly definition?: string;
}

/** The project in a folder. Throws {@link Failed} when there is nothing to run. */
export function projectIn(folder: string, definition?: string): Project {
  if (definition !== undefined) {
    if (!existsSync(definition))
      throw new Failed(`There is no file ${definition}: name the one that exports your definition.`);
    return { folder, definition };
  }
  appOf(folder);
  return { folder };
}

/** What `.env` of the project holds; nothing when there is none. */
export function readEnvFile({ folder }: Project): Readonly<Record<string, string | undefined>> {
  const path = join(folder, '.env');
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
}
