import { AsyncLocalStorage } from 'node:async_hooks';

/** Several invocations in one environment have one deadline each. */
const deadlines = new AsyncLocalStorage<number>();

/** Runs an invocation that the platform ends in `ms`, with everything that it starts. */
export const endingIn = <Result>(ms: number, run: () => Promise<Result>): Promise<Result> =>
  deadlines.run(performance.now() + ms, run);

/** Time in ms until the current invocation is ended; Infinity outside of one that said so. */
export const msLeft = (): number => (deadlines.getStore() ?? Number.POSITIVE_INFINITY) - performance.now();
