import type * as BuiltIn from '../../guardrails/built-in.ts';
import type { AnyGuard } from '../../guardrails/guard.ts';
import { memoize } from '../../plain/memoize.ts';
import { readWords } from '../../words/words.ts';

/**
 * The guards of every session are a tenth of the code that a step runs, and their word lists another tenth. Both are loaded
 * while a session is claimed, which waits for a database anyway (`readGuards`).
 */
let read: typeof BuiltIn | undefined;

/** Loads guards and their words, once in a process. Await it before asking any guard. */
export const readGuards = (): Promise<unknown> | undefined =>
  read
    ? readWords()
    : Promise.all([
        import('../../guardrails/built-in.ts').then((built) => {
          read = built;
        }),
        readWords(),
      ]);

/** The guards of a session, configured by its pinned definition. Throws if they have not been loaded. */
export const guardsOf = memoize(
  (settings: Parameters<typeof BuiltIn.builtInGuards>[0]): readonly AnyGuard[] => {
    if (!read) throw new Error('guards were asked for before they were read');
    return read.builtInGuards(settings);
  },
);
