import type { Usage } from '../../contract/session.ts';
import type { Reply } from '../session/reply.ts';
import type { Session } from '../session/session.ts';
import type { Slices } from '../session/verdict.ts';
import { builtIn } from './said.ts';

type State = {
  /** Tokens of the conversation that are counted, up to the end of the last reply: what a request has beyond them is new. */
  readonly read: number;
  /** Slot of the fold with which that context began; -1 = none. */
  readonly fold: number;
  /** Which of the models read it, and counted it in tokens of its own. */
  readonly fallback: number;
  /** Counted in the session, and in the run of this id. */
  readonly session: number;
  readonly run: number;
  readonly runId: string;
};

const none: State = { read: 0, fold: -1, fallback: 0, session: 0, run: 0, runId: '' };

/**
 * Counts each token of the conversation once, when the model first reads or writes it (T3, `accounting: incremental`): of a
 * request, what goes beyond all that was read before. A fold begins a new context, which is read anew. Says nothing; the
 * budget asks {@link counted}.
 */
export const accountingGuard = (accounting: 'full' | 'incremental') =>
  builtIn<'accounting', State>({
    name: 'accounting',
    scope: 'session',
    initial: none,
    hooks: {
      reply: (_state, { session, reply }) =>
        accounting === 'incremental' ? { state: counted(session, reply) } : undefined,
    },
  });

/** What is counted of a session, with a reply that is not yet. */
export function counted(session: Session, reply?: Reply): State {
  const before = stateIn(session.metadata.guardrails);
  const { run } = session;
  const runId = run?.id ?? '';
  const inRun = before.runId === runId ? before.run : 0;
  if (!reply) return { ...before, run: inRun, runId };

  const fold = session.fold?.slot ?? -1;
  const fallback = run?.fallback ?? 0;
  const same = before.fold === fold && before.fallback === fallback;
  const asked = promptOf(reply.usage);
  const fresh = Math.max(0, asked - (same ? before.read : 0)) + reply.usage.output;
  return {
    ...{ read: asked + reply.usage.output, fold, fallback },
    ...{ session: before.session + fresh, run: inRun + fresh, runId },
  };
}

const stateIn = ({ accounting = {} }: Slices): State => ({ ...none, ...(accounting as Partial<State>) });

/** Tokens of a request, cached or not. */
const promptOf = ({ input, cacheRead, cacheWrite }: Usage): number => input + cacheRead + cacheWrite;
