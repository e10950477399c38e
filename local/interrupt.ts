/** Ways in which a user ends the process: Ctrl-C, a kill, a closed terminal, a closed pipe on the output. */

/** Signals within this time count as one: a terminal sends Ctrl-C to npm and to this process, and npm forwards its own. */
const oneWithinMs = 500;

/**
 * Resolves at the first of SIGINT, SIGTERM and SIGHUP, and with SIGPIPE if the reader of the output is gone. The second signal
 * ends the process at once.
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
    // Every further line fails too, which is not a second signal.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => resolve('SIGPIPE'));
  });
}
