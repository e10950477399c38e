/** Waits for steps of a session by the lines that the stack logs: polls every 20 ms would take most of the CPU of a lane. */

const waiting = new Map<string, Set<() => void>>();

/** Receives each line of all functions' logs. */
export function hear(line: string): void {
  const id = /"message":"step".*?"sessionId":"([^"]+)"/.exec(line)?.[1];
  if (id === undefined) return;
  for (const wake of waiting.get(id) ?? []) wake();
  waiting.delete(id);
}

/** Longest time between two looks, in ms: some changes of a session have no step. */
const PATIENCE_MS = 250;

/** Resolves when the session has made a step, or may have changed otherwise. */
export async function mayHaveChanged(id: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PATIENCE_MS);
  const all = waiting.get(id) ?? new Set();
  waiting.set(id, all.add(resolve));
  await promise;
  clearTimeout(timer);
  all.delete(resolve);
}
