/**
 * Checks a definition in a thread of its own, so that side effects of its import end with the thread. The next thread is started
 * ahead and loads everything that definitions have in common, so that an edit waits only for its own code.
 */

import { Worker } from 'node:worker_threads';
import { shown } from '../../../infra/definition/place.ts';
import { moduleOf } from '../../../infra/definition/source.ts';
import type { Checked, CheckedDefinition } from './check-thread.ts';

export interface Checker {
  /** The facts of a definition, or a sentence about what is wrong with it and where. */
  check(asked: CheckedDefinition): Promise<Checked>;
  /** Starts a thread ahead. */
  prepare(facts: string): void;
  close(): Promise<void>;
}

/** Lambda's limit for code outside of the handler. */
const LIMIT_MS = 10_000;

/** The functions that have just gone live start first. */
const AHEAD_MS = 1000;

export function openChecker(): Checker {
  let spare: { worker: Worker; facts: string } | undefined;
  let timer: NodeJS.Timeout | undefined;

  const retire = async (): Promise<void> => {
    clearTimeout(timer);
    const { worker } = spare ?? {};
    spare = undefined;
    await worker?.terminate();
  };
  const prepare = (facts: string): void => {
    void retire();
    spare = { worker: started(facts), facts };
  };
  return {
    prepare,
    close: retire,
    async check(asked) {
      if (spare?.facts !== asked.facts) prepare(asked.facts);
      clearTimeout(timer);
      const { worker } = spare as { worker: Worker };
      spare = undefined;
      try {
        return await answer(worker, asked);
      } finally {
        void worker.terminate();
        timer = setTimeout(() => prepare(asked.facts), AHEAD_MS).unref();
      }
    },
  };
}

function started(facts: string): Worker {
  const worker = new Worker(moduleOf('cli/dev/live/check-thread'), {
    workerData: facts,
    env: { ...process.env },
    stdout: true,
    stderr: true,
  });
  worker.unref();
  // The check that uses this thread gets the error as well.
  worker.on('error', () => undefined);
  return worker;
}

function answer(worker: Worker, asked: CheckedDefinition): Promise<Checked> {
  const { promise, resolve } = Promise.withResolvers<Checked>();
  const fails = (why: string) => resolve({ wrong: `${shown(asked.definition)} cannot be loaded: ${why}` });
  let said = '';
  for (const stream of [worker.stdout, worker.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const timer = setTimeout(() => fails('its import takes longer than 10 seconds'), LIMIT_MS);
  worker.once('message', resolve);
  worker.once('error', (error) => fails(error.message));
  worker.once('exit', (code) => fails(said.trim() || `it ended the process with ${code}`));
  worker.postMessage(asked);
  return promise.finally(() => clearTimeout(timer));
}
