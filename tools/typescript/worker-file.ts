import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The code of the compiler's thread. In a bundle it is a file of its own (`infra/bundle/typescript.ts`). */
export const worker: URL = new URL(`./worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
