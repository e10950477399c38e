/** Ctrl-C and friends. */

/** Signals that come so soon are one: a terminal sends Ctrl-C to npm and to us, and npm passes its own on. */
const oneWithinMs = 500;

/** Resolves at the first SIGINT or SIGTERM. The second one ends the process at once. */
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
  });
}
