import { byteLength } from '../plain/utf8.ts';
/** Bytes of a path as UTF-8, and of one name in it: the maximum of file systems and archives. */
export const MAX_PATH_BYTES = 512;
const MAX_NAME_BYTES = 255;

/** No file of a workspace can have this name. The message is a sentence for the model. */
export class PathError extends Error {
  override name = 'PathError';
}

/**
 * Control characters, lone surrogates, line ends, and characters that change the reading direction: a person would read a
 * different name.
 */
const ODD = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;
/**
 * The path of a file as the workspace knows it: names with one `/` between them, in the composed form of Unicode (NFC), so that a
 * typed name finds a file that was sent from a Mac. Case matters. A path that begins with `/` or `/workspace/` begins at the
 * workspace's root, like any other; `''` is the root itself.
 *
 * @throws {PathError} if no file can have this name, or if it leads out of the workspace
 */
export function pathOf(given: string): string {
  // Checked before any work is done on it: a text of megabytes is not a path.
  if (given.length > 4 * MAX_PATH_BYTES) throw tooLong(given);
  if (ODD.test(given))
    throw new PathError(`${shown(given)} has characters that no file of the workspace has in its name.`);
  if (given.includes('\\')) throw new PathError(`${shown(given)}: between folders stands "/", not "\\".`);
  const path = given.normalize('NFC').replace(/^\/workspace(?=\/|$)/, '');
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined)
      throw new PathError(`${shown(given)} leads out of the workspace: paths are relative to its root.`);
  }
  const plain = names.join('/');
  if (byteLength(plain) > MAX_PATH_BYTES || names.some((name) => byteLength(name) > MAX_NAME_BYTES))
    throw tooLong(given);
  return plain;
}

/** As {@link pathOf}, for a file: the root is not one. */
export function filePathOf(given: string): string {
  const path = pathOf(given);
  if (path === '') throw new PathError(`${shown(given)} is the workspace itself, and no file in it.`);
  return path;
}

/** Folders that a file is in, from the outermost. */
export function foldersOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, i) => names.slice(0, i + 1).join('/'));
}

/** Whether the path is that of a folder, or lies in it; everything lies in the root. */
export const isUnder = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);

const tooLong = (given: string): Error =>
  new PathError(
    `${shown(given)} is too long: a path has at most ${MAX_PATH_BYTES} bytes, and a name in it ${MAX_NAME_BYTES}.`,
  );

const shown = (path: string): string =>
  JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path.toWellFormed());
