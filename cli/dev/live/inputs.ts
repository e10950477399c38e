import { resolve } from 'node:path';
import type { Metafile } from 'esbuild';

/** Absolute paths of the source files, without installed ones. esbuild's own paths are relative to the project. */
export const ownInputs = ({ inputs }: Metafile, folder: string): string[] =>
  Object.keys(inputs)
    .filter(isOwn)
    .map((input) => resolve(folder, input));

/** Modules that a plugin generates have a prefix. */
const isOwn = (input: string): boolean => !/(^|\/)node_modules\/|^[\w-]{2,}:/.test(input);
