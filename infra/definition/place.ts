/** The place of an error in a user's own files, in a form that editors can open: paths relative to the working directory. */

import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { home } from './source.ts';

/** An error that was thrown while a definition was imported, as a sentence that begins with the place. */
export const wrongImport = (error: unknown, definition: string): string =>
  `${placeOfThrow(error, definition)}: ${error instanceof Error ? error.message : String(error)}`;

/** The first place in the user's own files, because the error often comes from `defineAgent`. */
function placeOfThrow(error: unknown, definition: string): string {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  for (const line of lines) {
    const [, place, at] =
      /(?:\(|at (?:async )?)((?:file:\/\/)?\/[^()]*?|[A-Z]:\\[^()]*?):(\d+:\d+)\)?$/.exec(line) ?? [];
    if (!place) continue;
    const file = place.startsWith('file:') ? fileURLToPath(place) : place;
    const isOurs =
      ['shared', 'testing', join('infra', 'definition')].some((folder) =>
        file.startsWith(join(home, folder)),
      ) || /[\\/]node_modules[\\/]|definition\.mjs$|<stdin>$/.test(file);
    if (!isOurs) return `${shown(file)}:${at}`;
  }
  return shown(definition);
}

export const shown = (file: string): string => relative(process.cwd(), file) || file;
