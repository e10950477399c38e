import { addUsd } from '../../contract/money.ts';
import type { Totals } from '../../contract/session.ts';
import { addTotals } from './cost.ts';
import { runOf, type Session, withRun } from './session.ts';

/** Adds to the totals of the session and of its run. */
export function charge(session: Session, call: Totals): Session {
  const totals = addTotals(session.totals, call);
  return withRun({ ...session, totals }, { totals: addTotals(runOf(session).totals, call) });
}

/** Counts what children have used, when they have told, as used by the session that has begun them. */
export function withUse(session: Session, used: Totals | undefined): Session {
  if (!used) return session;
  const { delegated } = runOf(session);
  const delegatedUsd = addUsd(session.delegatedUsd ?? 0, used.costUsd);
  return withRun(charge({ ...session, delegatedUsd }, used), {
    delegated: delegated ? addTotals(delegated, used) : used,
  });
}
