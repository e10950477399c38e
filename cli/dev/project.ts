/** The project to run: a folder with an app, or one definition alone. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { appOf } from '../app.ts';
import { Failed } from '../ends.ts';

export interface Project {
  /** The folder of `cdk.json` and `.env`; printed paths are relative to it. */
  readonly folder: string;
  /** Absolute path of a definition to run alone; undefined: the app's own. */
  readonly definition?: string;
}

/** The project in a folder. Throws {@link Failed} if there is nothing to run. */
export function projectIn(folder: string, definition?: string): Project {
  if (definition !== undefined) {
    if (!existsSync(definition))
      throw new Failed(`There is no file ${definition}: name the one that exports your definition.`);
    return { folder, definition };
  }
  appOf(folder);
  return { folder };
}

/** The variables in the project's `.env`; empty if there is none. */
export function readEnvFile({ folder }: Project): Readonly<Record<string, string | undefined>> {
  const path = join(folder, '.env');
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
}
