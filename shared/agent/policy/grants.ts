import { isAtMost, type Level } from '../config/levels.ts';
import { defined } from '../plain/defined.ts';
import type { Grant, NewGrant } from '../session/leave.ts';

/** Grants that are kept for one session, in HEAD. A new one replaces the oldest. */
const MAX_GRANTS = 50;
/** Calls that a grant covers if it states neither a number nor a time. */
const USES = 5;

/** A call, as grants see it. */
interface Covered {
  readonly tool: string;
  readonly level: Level;
  /** The digest of the arguments as the tool reads them. */
  readonly digest: string;
  readonly run: string;
}

/** The grant that covers a call; if several do, the one that was given first. Pure. */
export const covering = (
  grants: readonly Grant[],
  { tool, level, digest, run }: Covered,
  now: number,
): Grant | undefined =>
  grants.find(
    (grant) =>
      isLive(grant, run, now) &&
      grant.tool === tool &&
      isAtMost(level, grant.level) &&
      (grant.digest === undefined || grant.digest === digest),
  );

const isLive = (grant: Grant, run: string, now: number): boolean =>
  (grant.run === undefined || grant.run === run) &&
  (grant.usesLeft === undefined || grant.usesLeft > 0) &&
  (grant.until === undefined || grant.until > now);

/** The grants that cover any calls of a run at a given time. */
export const holding = (grants: readonly Grant[], run: string, now: number): readonly Grant[] =>
  grants.filter((grant) => isLive(grant, run, now));

/** The grants after a call has taken a use of one. A used-up grant is removed. */
export const used = (grants: readonly Grant[], id: string): readonly Grant[] =>
  grants.flatMap((grant) => {
    if (grant.id !== id || grant.usesLeft === undefined) return [grant];
    return grant.usesLeft > 1 ? [{ ...grant, usesLeft: grant.usesLeft - 1 }] : [];
  });

/** The permission that a decision grants beyond its own call. */
interface Given {
  readonly id: string;
  readonly call: Covered;
  readonly grant: NewGrant;
  readonly by: string;
  /** Epoch ms. */
  readonly at: number;
}

/** The grants plus a new one. A grant whose id is known is not given again. Expired grants are removed. */
export function withGrant(
  grants: readonly Grant[],
  { id, call, grant: { scope, alike, uses, seconds }, by, at }: Given,
  now: number,
): readonly Grant[] {
  const usesLeft = uses ?? (seconds === undefined ? USES : undefined);
  const given: Grant = {
    ...{ id, tool: call.tool, level: call.level, by, at },
    ...(alike === 'call' && { digest: call.digest }),
    ...(scope === 'run' && { run: call.run }),
    ...defined({ usesLeft }),
    ...(seconds !== undefined && { until: at + seconds * 1000 }),
  };
  const others = holding(grants, call.run, now).filter((grant) => grant.id !== id);
  return [...others, given].slice(-MAX_GRANTS);
}
