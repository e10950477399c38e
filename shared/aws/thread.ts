/**
 * The thread of an environment that runs many invocations at once (docs/managed.md): whatever computes in it makes all of them
 * wait. A tool that holds it for longer than a second is named in the log, and an environment that stands still ends itself, so that
 * Lambda starts another. On Lambda's own environments one invocation waits for itself alone, and its timeout ends it.
 */

import { Worker } from 'node:worker_threads';
import type { Meter, RunningCall } from '../agent/ports/meter.ts';
import { log } from '../logger.ts';

/** A thread is held if its timer is this late, in ms. */
const HELD_MS = 1_000;
const BEAT_MS = 250;
/** Names of tools in one line. */
const MOST_NAMED = 10;
/** Time in ms without a beat after which a process ends itself: no tool in it may compute that long, and leases are lost by then. */
const STILL_MS = 60_000;

/** Watches the thread of this environment, and ends its process when it stands still, if Lambda then starts another. */
export function watchThread(env: Readonly<Record<string, string | undefined>>): Calling {
  // Only a process that Lambda's runtime has started is replaced when it ends.
  if (env.AWS_LAMBDA_RUNTIME_API) endWhenStill(STILL_MS);
  return heldThread();
}

/** Runs the code of calls, and knows so which are running. */
type Calling = Required<Pick<Meter, 'calling'>>;

/** Names in the log the calls that run while the thread is held. */
export function heldThread(now: () => number = () => performance.now()): Calling {
  const running = new Set<RunningCall>();
  /** The call whose code did not return for so long. */
  let known: RunningCall | undefined;
  let beatAt = now();
  setInterval(() => {
    const late = now() - beatAt - BEAT_MS;
    beatAt = now();
    if (late >= HELD_MS)
      log('warn', 'the thread was held', { ms: Math.round(late), ...factsOf(known, running) });
    known = undefined;
  }, BEAT_MS).unref();
  return {
    async calling(call, run) {
      running.add(call);
      const begunAt = now();
      try {
        const result = run();
        if (now() - begunAt >= HELD_MS) known = call;
        return await result;
      } finally {
        running.delete(call);
      }
    },
  };
}

/** The call that held the thread, or all that may have. None: it was not a tool. */
function factsOf(known: RunningCall | undefined, running: ReadonlySet<RunningCall>) {
  const [only, ...others] = running;
  const one = known ?? (others.length === 0 ? only : undefined);
  if (one) return { ...one.key, tool: one.tool, callId: one.callId };
  const tools = [...new Set([...running].map(({ tool }) => tool))];
  return { calls: running.size, tools: tools.slice(0, MOST_NAMED).join(', ') };
}

/** Ends this process when its thread stands still: nothing in it could. A thread beside it watches. */
export function endWhenStill(stillMs: number): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), Math.min(BEAT_MS, stillMs / 4)).unref();
  const watcher = new Worker(WATCHER, { eval: true, workerData: { beats, stillMs }, execArgv: [] });
  watcher.unref();
}

/**
 * It counts its own rounds, not the time: a machine that was suspended has no beat either, and is not still. It writes to the
 * file descriptor, because streams of a thread pass through the thread that stands still.
 */
const WATCHER = `
const { workerData: { beats, stillMs } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const log = (level, message) =>
  writeSync(1, JSON.stringify({ timestamp: new Date().toISOString(), level: level.toUpperCase(), message }) + '\\n');
let last = -1;
let missed = 0;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
  if (missed < 10) return;
  log('error', 'an environment stood still');
  process.kill(process.pid, 'SIGKILL');
}, stillMs / 10);
`;
