/** Ctrl-C and friends: a kill, a terminal that is closed, a reader of what is printed that has gone. */

/** Signals that come so soon are one: a terminal sends Ctrl-C to npm and to us, and npm passes its own on. */
const oneWithinMs = 500;

/**
 * Resolves at the first of SIGINT, SIGTERM and SIGHUP, and with SIGPIPE when nobody reads what is printed any more. The
 * second signal ends the process at once.
 */
export function interrupted(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      const now = performance.now();
      first ??= now;
      if (now - first > oneWithinMs) process.exit(130);
      resolve(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    process.on('SIGHUP', onSignal);
    // Each further line fails too: that is no second signal.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => resolve('SIGPIPE'));
  });
}
