import type { AgUiEvent } from '../../../contract/events.ts';
import type { Totals } from '../../../contract/session.ts';
import { serverToolsIn } from '../../events/server-tools.ts';
import { defined } from '../../plain/defined.ts';
import { charge } from '../../session/charge.ts';
import { type Bill, billOf, totalsOf } from '../../session/cost.ts';
import { modelAt } from '../../session/pinned.ts';
import type { Reply } from '../../session/reply.ts';
import { runOf, type Session, withRun } from '../../session/session.ts';
import type { Block } from '../../session/slots.ts';
import type { Step } from '../open/step-context.ts';
import type { Answered } from './model-call.ts';
import { untried } from './retry.ts';
import type { Turn } from './turn.ts';

/** A reply and its cost, added to the session's totals. */
export interface Accounted {
  readonly session: Session;
  readonly turn: Turn;
  readonly answer: Answered;
  readonly bill: Bill;
  /** The reply's content as guards judge it, if history stores another. */
  readonly asReceived?: readonly Block[];
  /** The tools that its server ran, and its usage. */
  readonly events: readonly AgUiEvent[];
}

/** Adds the call to the totals of run and session. */
export function account(step: Pick<Step, 'loaded'>, turn: Turn, answer: Answered): Accounted {
  const { reply, recovered, lost } = answer;
  const { price } = modelAt(step.loaded.pinned, answer.fallback);
  const bill = recovered ?? billOf(reply.usage, price, reply.billing);
  const before = lost ? charge(turn.session, lost) : turn.session;
  const run = runOf(before);
  const call = totalsOf(reply, bill);
  const session = withRun(charge(replied(before, reply), call), {
    steps: run.steps + 1,
    ...untried,
    folds: 0,
    failingSince: 0,
    unlisted: undefined,
    activeMs: run.activeMs + answer.durationMs,
    model: reply.model,
  });
  const usageEvent = toUsageEvent(session, run.steps + 1, reply.model, call, reply.cleared);
  const events = [...serverToolsIn(answer.messageId, reply.content), usageEvent];
  return { session, turn, answer, bill, events };
}

/**
 * A fold that was due before the reply no longer is (docs/context.md). A reply that the end of the window cut makes the next
 * step fold, even if that step begins another run.
 */
function replied(session: Session, { stop }: Reply): Session {
  const { fold } = session;
  return {
    ...session,
    fold: fold && { slot: fold.slot, at: fold.at },
    mustFold: stop === 'context_limit' ? { why: 'exhausted', refusals: 0 } : undefined,
  };
}

/**
 * Tells the usage of a call.
 *
 * @param session with the call in its totals
 */
export function toUsageEvent(
  session: Session,
  step: number,
  model: string,
  call: Totals,
  cleared?: number,
): AgUiEvent {
  const { costUsd, estimated, notInPrice, ...usage } = call;
  const { totals } = runOf(session);
  const left = cleared === undefined ? {} : { cleared };
  const value = {
    step,
    model,
    usage,
    costUsd,
    ...left,
    ...estimatedIn({ estimated }),
    ...defined({ notInPrice }),
    totals,
  };
  return { type: 'CUSTOM', name: 'steploop.usage', value };
}

const estimatedIn = ({ estimated }: Pick<Reply, 'estimated'>): Pick<Totals, 'estimated'> =>
  estimated ? { estimated } : {};
