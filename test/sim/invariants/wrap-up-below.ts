/** Invariant 51: a run that is asked to wrap up while others work for it (docs/children.md#wrap-up). */

import type { Session } from '../../../shared/agent/session/session.ts';
import { MOST_WRAP_UP_MS } from '../../../shared/agent/session/wrap-up.ts';
import { type Checks, type Claim, check } from '../ledger.ts';
import type { World } from '../world.ts';
import type { Committed } from './commits.ts';
import { asked } from './controls.ts';
import { LATE_MS } from './family.ts';
import { SKEW_MS } from './heads.ts';

interface Waiting extends Committed {
  /** Requests that a child has got, by its session. */
  readonly asked: (child: string) => ReadonlyMap<string, unknown>;
}

const wrapUpBelowChecks: Checks<Waiting> = {
  '51 a run that rests and is to wrap up has asked its children to': (waiting) => {
    const forgotten = childrenAwaited(waiting).find(
      ({ id, child = '' }) => !waiting.asked(child).has(`wrap_up-${id}`),
    );
    return forgotten && `${waiting.facts.pk} rests, and ${forgotten.child} was not asked`;
  },

  '51 a run that rests and is to wrap up waits for two minutes': (waiting) => {
    const long = childrenAwaited(waiting).find(
      ({ expiresAt }) => expiresAt > waiting.now + MOST_WRAP_UP_MS + 2 * SKEW_MS,
    );
    return long && `${waiting.facts.pk} waits for ${long.child} until ${long.expiresAt}`;
  },

  '51 it goes on after that': ({ facts, before, now }) => {
    const { batch } = before.session;
    const late = batch?.waits.find(
      ({ id, kind, expiresAt }) =>
        batch.wrapsUp && kind === 'child' && before.pending.includes(id) && now - expiresAt > LATE_MS,
    );
    return late && !facts.purged ? `${facts.pk} has waited for ${late.child} for long` : undefined;
  },
};

/** The open waits for children of a session that this commit puts to rest with a request to wrap up in its inbox. */
function childrenAwaited({ facts, after }: Committed) {
  const { batch, run } = after.session;
  if (
    !batch ||
    !run ||
    after.dueAt !== undefined ||
    asked(facts, after.inbox, 'wrap_up', run.id).length === 0
  )
    return [];
  return batch.waits.filter(({ id, kind }) => kind === 'child' && after.pending.includes(id));
}

export const checkWrapUpBelow = ({ ledger }: World, seen: Committed): void =>
  check(ledger, wrapUpBelowChecks, {
    ...seen,
    asked: (sessionId) => ledger.facts({ tenant: seen.after.session.key.tenant, sessionId }).controls,
  });

/** Whether the time of a child is almost over, so that it sums up. Undefined if that depends on moments and clocks. */
export function isLate(claim: Claim, leaseMs: number, now: number): boolean | undefined {
  const { session, leaseUntil } = claim.head;
  const { parent, run } = session;
  const isAtTask = !run || (!run.ended && run.id === `${session.key.sessionId}-0`);
  if (!parent?.wrapUpAt || !isAtTask || parent.wrapUpAt > now + SKEW_MS) return false;
  // The time of the claim, by the clock of the worker that judges the step.
  return parent.wrapUpAt <= leaseUntil - leaseMs ? true : undefined;
}

/** At rest: a child that has summed up has answered with its summary. */
export const answersWithSummary = (world: World, { key, run, state }: Session, content: string): boolean =>
  state !== 'completed' ||
  !run ||
  !world.ledger.facts(key).wrapping.has(run.id) ||
  content.includes('was asked to wrap up');
