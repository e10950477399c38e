import type { SaidContext } from '../config/said.ts';
import { defined } from '../plain/defined.ts';
import type { Pinned } from '../session/pinned.ts';
import type { Session } from '../session/session.ts';

/** Which model reads a conversation, and from which message on. */
export interface Reading {
  /** The number of the definition's fallback, from 1; 0 is its own model. */
  readonly fallback: number;
  /** Slot of the fold with which the context begins; absent while the context is the whole conversation. */
  readonly fold?: number;
  /** Set for a model that has thought none of it: all thinking is left out. */
  readonly withoutThinking?: true;
  /**
   * Slot before which it ends; absent if all of it is read. Omissions depend on later slots, too: a turn that this cuts may be
   * one that was refused.
   */
  readonly below?: number;
  /** The run that asks; absent if none does. Tries of other runs to find a refused part do not count. */
  readonly runId?: string;
  /** The line before each message: `Pinned.context`. */
  readonly told?: SaidContext;
}

/** The reading of the model that a session's run asks. */
export const readingOf = (
  { run, fold }: Pick<Session, 'run' | 'fold'>,
  { context }: Pick<Pinned, 'context'>,
): Reading => ({
  fallback: run?.fallback ?? 0,
  ...(run && { runId: run.id }),
  ...(fold && { fold: fold.slot }),
  ...defined({ told: context }),
});
