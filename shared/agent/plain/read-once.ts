/**
 * What reads a module when it is first needed, once in a process. Only the first call waits for a file: in the simulator's virtual
 * time it is made beforehand (`test/support/words.ts`).
 */
export function readOnce<Module extends object>(load: () => Promise<Module>): () => Promise<Module> {
  let read: Module | undefined;
  return async () => {
    read ??= await load();
    return read;
  };
}
