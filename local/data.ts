/** The folder of the state of `npm start`. */

import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The format version of that folder. Raise it when the state of an older version cannot be used any more. */
const VERSION = '1';

/** Makes the folder if it does not exist. Throws, with what to do, if it cannot be used. */
export function prepareData(data: string | undefined): void {
  if (data === undefined) return;
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`${reasonOf(error, data)}: name another one with --data, or use --ephemeral.`);
  }
  const file = join(data, 'version');
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  // A folder without a version file is of version 1.
  if ((kept ?? '1') !== VERSION)
    throw new Error(
      `${data} holds the state of another version of Steploop (${kept}; this one has ${VERSION}): name another folder with --data, or remove this one.`,
    );
  if (kept === undefined) writeFileSync(file, `${VERSION}\n`, { mode: 0o600 });
}

function reasonOf(error: unknown, data: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return `${data} is not a folder`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `The folder ${data} is not writable`;
    default:
      return `The folder ${data} cannot be used (${message})`;
  }
}
