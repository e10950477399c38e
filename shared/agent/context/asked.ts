import { isRead } from '../session/made.ts';
import type { NamesModels, Pinned } from '../session/pinned.ts';
import type { Session } from '../session/session.ts';
import type { InputTurn, Slot } from '../session/slots.ts';

/** The inputs by which a context is measured and folded: all of it is stored, except what waits. */
export interface ContextInputs {
  /** Committed slots: those of the context, and maybe some before it. */
  readonly slots: readonly Slot[];
  readonly session: Pick<Session, 'version' | 'contextStart' | 'run' | 'fold' | 'mustFold' | 'metadata'>;
  readonly pinned: NamesModels &
    Pick<Pinned, 'system' | 'tools' | 'search' | 'skills' | 'context'> & {
      readonly guardrails: Pick<Pinned['guardrails'], 'context'>;
    };
  /** The additions of the next request: nudges, and what people have said since. */
  readonly waiting: readonly InputTurn[];
}

/** The slots of the context without its folds, and without the system's own calls except the outcomes of plans. */
export const saidIn = ({ slots, session }: Pick<ContextInputs, 'slots' | 'session'>): Slot[] =>
  slots.filter(
    (slot) => slot.n >= session.contextStart && isRead(slot) && !(slot.kind === 'model' && slot.fold),
  );
