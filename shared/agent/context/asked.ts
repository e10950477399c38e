import { isRead } from '../session/made.ts';
import type { NamesModels, Pinned } from '../session/pinned.ts';
import type { Session } from '../session/session.ts';
import type { InputTurn, Slot } from '../session/slots.ts';

/** What a context is measured and folded by: all of it is stored, but for what waits. */
export interface Asked {
  /** Committed slots: those of the context, and maybe some before it. */
  readonly slots: readonly Slot[];
  readonly session: Pick<Session, 'version' | 'contextStart' | 'run' | 'fold' | 'mustFold' | 'metadata'>;
  readonly pinned: NamesModels &
    Pick<Pinned, 'system' | 'tools' | 'search' | 'context'> & {
      readonly guardrails: Pick<Pinned['guardrails'], 'context'>;
    };
  /** What the next request will tell the model besides: nudges, and what people have said since. */
  readonly waiting: readonly InputTurn[];
}

/** What was said and done in the context, without the folds in it, and what the system did itself, but for what came of plans. */
export const saidIn = ({ slots, session }: Pick<Asked, 'slots' | 'session'>): Slot[] =>
  slots.filter(
    (slot) => slot.n >= session.contextStart && isRead(slot) && !(slot.kind === 'model' && slot.fold),
  );
