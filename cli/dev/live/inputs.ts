import { resolve } from 'node:path';
import type { Metafile } from 'esbuild';

/** Absolute paths of the files that were read, but for installed ones: esbuild names them by their way from the project. */
export const ownInputs = ({ inputs }: Metafile, folder: string): string[] =>
  Object.keys(inputs)
    .filter(isOwn)
    .map((input) => resolve(folder, input));

/** What a plugin made up has a prefix. */
const isOwn = (input: string): boolean => !/(^|\/)node_modules\/|^[\w-]{2,}:/.test(input);
