/**
 * Loads a module when it is first needed, once per process. Only the first call waits for a file. In the simulator's virtual time
 * it is loaded beforehand (`test/support/words.ts`).
 */
export function readOnce<Module extends object>(load: () => Promise<Module>): () => Promise<Module> {
  let read: Module | undefined;
  return async () => {
    read ??= await load();
    return read;
  };
}
