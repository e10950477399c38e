import type { AnyGuard } from '../guardrails/guard.ts';
import type { Pinned } from '../session/pinned.ts';
import type { Session } from '../session/session.ts';
import type { Slot } from '../session/slots.ts';
import type { Spoken } from '../session/verdict.ts';
import type { Ended, Ending } from '../step/draft.ts';
import { recoveredFrom } from '../step/end/recover.ts';
import type { Tool } from '../tools/tool.ts';

/** The rules of a replay. */
export interface Rules {
  /** With the guardrails and limits of the preset. */
  readonly pinned: Pinned;
  readonly guards: readonly AnyGuard[];
  /** As they are deployed now: their code is not stored. */
  readonly tools: readonly Tool[];
}

/** A verdict, and what comes of it beyond its kind. */
export interface Heard {
  readonly verdict: Spoken;
  /** For a verdict on a call or its result. */
  readonly callId?: string;
  /** Set if the run goes on although the verdict ends it: the text for the model. */
  readonly recovery?: string;
  /** The nudge sends an answer back. */
  readonly sendsBack?: true;
}

/** A session after a step, or after some stages of it. */
export interface Watched {
  readonly session: Session;
  readonly heard: readonly Heard[];
  /** Set if the run ends under these rules. */
  readonly ending?: Extract<Ending, { kind: 'halt' | 'complete' }>;
  /** It ends before the model is asked. */
  readonly unasked?: true;
}

/** A step before its stages. */
export interface Before {
  readonly session: Session;
  /** The slots that its model reads. */
  readonly history: readonly Slot[];
  /** Epoch ms. */
  readonly now: number;
}

export const heardAt = (spoken: readonly Spoken[], callId?: string): Heard[] =>
  spoken.map((verdict) => ({ verdict, ...(callId !== undefined && { callId }) }));

/** The end of a run by a guard, or its continuation if the rules recover from the cause. */
export function halted(session: Session, heard: readonly Heard[], halt: Ended, { pinned }: Rules): Watched {
  const recovered = recoveredFrom(halt, session, pinned.guardrails.recovery);
  if (!recovered) return { session, heard, ending: { kind: 'halt', halt } };
  const at = heard.findLastIndex(({ verdict }) => verdict.kind === 'halt' && verdict.code === halt.code);
  return {
    session: recovered.session,
    heard: heard.map((one, i) => (i === at ? { ...one, recovery: recovered.text } : one)),
  };
}
