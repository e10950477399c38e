import type * as WordLists from './lists.ts';

/**
 * Everything that guards recognise by words: announcements and requests in four languages, and the effects of shell commands. The
 * lists are a tenth of the code that a step runs, so they are loaded while its session is claimed, and not before (`readWords`).
 */
let lists: typeof WordLists | undefined;

/** Loads the lists, once per process. Must be awaited before any guard is asked. */
export const readWords = (): Promise<void> | undefined =>
  lists
    ? undefined
    : import('./lists.ts').then((read) => {
        lists = read;
      });

/** The lists. Throws if they were not loaded. */
export function words(): typeof WordLists {
  if (!lists) throw new Error('guards were asked before their word lists were read');
  return lists;
}
