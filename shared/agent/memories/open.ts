import { readOnce } from '../plain/read-once.ts';
import type { Memory, Rememberer } from './memory.ts';
import type { Memories } from './store.ts';

/** Loads the rest of the memory code, which most steps do not need. */
export const readRemembering = readOnce(() => import('./remember.ts'));

/** The memory of one call. Nothing is loaded or read before it is used, and nothing begins after `signal` has aborted. */
export function memoryOf(
  who: Rememberer,
  io: { readonly memories: Memories; readonly clock: { now(): number } },
  signal: AbortSignal,
): Memory {
  const rest = async () => {
    signal.throwIfAborted();
    return readRemembering();
  };
  return {
    save: async (text, scope) => (await rest()).save(who, text, scope, io, signal),
    search: async (query, options) => (await rest()).search(who, query, options, io.memories),
  };
}
