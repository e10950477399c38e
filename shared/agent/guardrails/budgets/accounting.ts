import type { Reply } from '../../session/reply.ts';
import type { Session } from '../../session/session.ts';
import { builtIn } from '../guard-codes.ts';

type State = {
  /**
   * Tokens of the conversation counted so far, up to the end of the last reply; anything beyond them in a request is new. -1 in a
   * context that has just started: counting goes on from its first request.
   */
  readonly read: number;
  /** Slot of the fold with which that context began; -1 = none. */
  readonly fold: number;
  /** The model that has read it: each model counts in its own tokens. */
  readonly fallback: number;
  /** Counted in the session, and in the run with this id. */
  readonly session: number;
  readonly run: number;
  readonly runId: string;
};

const none: State = { read: 0, fold: -1, fallback: 0, session: 0, run: 0, runId: '' };

/**
 * Counts each token of the conversation once, when the model first reads or writes it (`accounting: incremental`): of a request,
 * only what goes beyond everything read before. Tokens that a fold keeps were counted before, and are not counted again. It says
 * nothing; the budget calls {@link counted}.
 */
export const accountingGuard = (accounting: 'full' | 'incremental') =>
  builtIn<'accounting', State>({
    name: 'accounting',
    scope: 'session',
    initial: none,
    hooks: {
      inject: (_state, { session, context }) => {
        const before = counted(session);
        const slot = session.fold?.slot ?? -1;
        if (accounting === 'full' || before.fold === slot) return undefined;
        // Content after the last reply of the previous context, which was not counted.
        const fold = context.slots.find((one) => one.n === slot);
        const last = fold?.kind === 'model' ? (fold.fold?.tokens.before ?? 0) : 0;
        return { state: plus({ ...before, read: -1, fold: slot }, last - before.read) };
      },
      reply: (_state, { session, reply }) =>
        accounting === 'incremental' ? { state: counted(session, reply) } : undefined,
    },
  });

/** The count of a session, including a reply that is not counted yet. */
export function counted({ metadata, run }: Session, reply?: Reply): State {
  const before = { ...none, ...(metadata.guardrails.accounting as Partial<State> | undefined) };
  const runId = run?.id ?? '';
  const now = before.runId === runId ? before : { ...before, run: 0, runId };
  if (!reply) return now;

  const fallback = run?.fallback ?? 0;
  const { input, cacheRead, cacheWrite, output } = reply.usage;
  const asked = input + cacheRead + cacheWrite;
  const anew = now.read < 0 || now.fallback !== fallback;
  const fresh = anew ? 0 : Math.max(0, asked - now.read);
  return plus({ ...now, read: asked + output, fallback }, fresh + output);
}

const plus = (state: State, tokens: number): State => {
  const more = Math.max(0, tokens);
  return { ...state, session: state.session + more, run: state.run + more };
};
