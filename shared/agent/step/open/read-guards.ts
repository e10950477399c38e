import type * as BuiltIn from '../../guardrails/built-in.ts';
import type { AnyGuard } from '../../guardrails/guard.ts';
import { readWords } from '../../words/words.ts';

/**
 * The guards that every session has are a tenth of the code that a step runs, and their word lists another: both are read while its session is
 * claimed, which waits for a database, and not before (`readGuards`).
 */
let read: typeof BuiltIn | undefined;

/** Reads guards and their words, once in a process. To be awaited before any guard is asked. */
export const readGuards = (): Promise<unknown> | undefined =>
  read
    ? readWords()
    : Promise.all([
        import('../../guardrails/built-in.ts').then((built) => {
          read = built;
        }),
        readWords(),
      ]);

/** The guards of a session, configured by what it is pinned to. Throws when nobody has read them. */
export function guardsOf(settings: Parameters<typeof BuiltIn.builtInGuards>[0]): AnyGuard[] {
  if (!read) throw new Error('guards were asked for before they were read');
  return read.builtInGuards(settings);
}
