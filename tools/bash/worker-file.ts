import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The code of the worker that runs a script, and of the worker that it starts for JavaScript. In a bundle they are
 * files of their own (`infra/bundle/just-bash.ts`).
 */
export const workers: { readonly shell: URL; readonly jsExec?: string } = {
  shell: new URL(`./worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
};
