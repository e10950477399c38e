import { AsyncLocalStorage } from 'node:async_hooks';
import type { Bill } from '../agent/ports/meter.ts';
import { fromNano } from '../contract/money.ts';
import { managedGibSecond, rates } from './rates.ts';

/** The use of an invocation, in the units that `rates` prices by the million. */
type Used = Record<'writes' | 'reads' | 'queueRequests' | 'pushes' | 'puts' | 'gets', number>;

interface Metered {
  readonly startedAt: number;
  readonly used: Used;
  /** Write units of its first write, which is its claim: the commit writes the same item. */
  claim: number;
}

/** Several invocations in one environment have one store each. */
const metered = new AsyncLocalStorage<Metered>();

/** A message is received for an invocation, and deleted after it. */
const BEFORE = 2;

/** Runs an invocation and counts its costs, including those of everything that it starts. */
export function meteredRun<Result>(run: () => Promise<Result>): Promise<Result> {
  const used = { writes: 0, reads: 0, queueRequests: BEFORE, pushes: 0, puts: 0, gets: 0 };
  return metered.run({ startedAt: performance.now(), used, claim: 0 }, run);
}

/** Counts a use by the current invocation. Does nothing outside of one that is counted. */
export function use(what: keyof Used, count: number): void {
  const now = metered.getStore();
  if (!now) return;
  if (what === 'writes' && now.claim === 0) now.claim = count;
  now.used[what] += count;
}

/** By `rates`, in whole billionths. A function that is killed reports nothing. */
export const bill: Bill = {
  usd() {
    const now = metered.getStore();
    if (!now) return undefined;
    const { used, claim, startedAt } = now;
    // Still to come: the commit, and the message that wakes the next step.
    const all: Used = { ...used, writes: used.writes + claim, queueRequests: used.queueRequests + 1 };
    const units = Object.entries(all).reduce((sum, [what, n]) => sum + n * rates[what as keyof Used], 0);
    const seconds = (performance.now() - startedAt) / 1000;
    const nano = (units + rates.invocations) * 1_000 + seconds * usdASecond(process.env) * 1e9;
    return fromNano(Math.round(nano));
  },
};

/** USD for a second of one invocation in an environment like this one. */
export function usdASecond(env: Readonly<Record<string, string | undefined>>): number {
  const gib = Number(env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 0) / 1024;
  if (env.AWS_LAMBDA_INITIALIZATION_TYPE !== 'lambda-managed-instances') return (gib * rates.gbSeconds) / 1e6;
  const atOnce = Math.max(1, Number(env.AWS_LAMBDA_MAX_CONCURRENCY ?? 1) * rates.managed.used);
  return (gib * managedGibSecond()) / atOnce;
}

/** How many messages of `size` a request of `bytes` is billed as. */
export const chunks = (bytes: number, size: number): number => Math.max(1, Math.ceil(bytes / size));
