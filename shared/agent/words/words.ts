import type * as WordLists from './lists.ts';

/**
 * What guards tell by words: announcements and requests in four languages, and what the commands of a shell do. Its lists are
 * a tenth of the code that a step runs, so they are read while its session is claimed, and not before (`readWords`).
 */
let lists: typeof WordLists | undefined;

/** Reads the lists, once in a process. To be awaited before any guard is asked. */
export const readWords = (): Promise<void> | undefined =>
  lists
    ? undefined
    : import('./lists.ts').then((read) => {
        lists = read;
      });

/** The lists. Throws when nobody has read them. */
export function words(): typeof WordLists {
  if (!lists) throw new Error('guards were asked before their word lists were read');
  return lists;
}
