import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The location of a handler's code, and how to load it. */
export interface HandlerModule {
  /** file:// URL. */
  module: string;
  exportName: string;
  commonJs: boolean;
}

/**
 * Finds `folder/file.export` in an unpacked asset, in the order of Lambda's Node runtime (.js, .mjs, .cjs). Throws if there is no
 * such file.
 */
export function handlerModule(directory: string, handler: string): HandlerModule {
  const dot = handler.lastIndexOf('.');
  const base = join(directory, handler.slice(0, dot));
  const file = [`${base}.js`, `${base}.mjs`, `${base}.cjs`].find((candidate) => existsSync(candidate));
  if (dot <= 0 || file === undefined) throw new Error(`handler ${handler} has no module in ${directory}`);
  return {
    module: pathToFileURL(file).href,
    exportName: handler.slice(dot + 1),
    // On Lambda the asset has no parent package.json; here it may have the project's, which may say "module".
    commonJs: file.endsWith('.js') && !existsSync(join(directory, 'package.json')),
  };
}
