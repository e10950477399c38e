import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The code of the worker in which a script runs, and of the one that it starts for JavaScript. In a bundle they are files of their
 * own (`infra/bundle/just-bash.ts`).
 */
export const workers: { readonly shell: URL; readonly jsExec?: string } = {
  shell: new URL(`./worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
};
