/** The thread in which the compiler runs. */

import { parentPort, workerData } from 'node:worker_threads';
import { compile } from './compile.ts';
import type { FromCompiler, Job } from './protocol.ts';

const say = (message: FromCompiler) => parentPort?.postMessage(message);

try {
  say({ kind: 'done', compiled: compile((workerData as Job).files) });
} catch (error) {
  say({ kind: 'broke', why: error instanceof Error ? error.message : String(error) });
}
