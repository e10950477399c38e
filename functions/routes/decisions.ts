import type { Decider } from '../../shared/agent/define/may-decide.ts';
import { type Outcome, outcomesOf } from '../../shared/agent/events/wait-outcomes.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { own } from '../../shared/agent/plain/merge.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { Decision } from '../../shared/contract/ag-ui.ts';
import { DecisionBody, MAX_BODY_BYTES } from '../../shared/contract/http.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { type DecideContext, decideAs } from '../middleware/decide.ts';
import { Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';

export interface DecisionContext extends DecideContext {
  readonly io: DecideContext['io'] & Pick<Ports, 'log'>;
}

/** `POST /sessions/{sessionId}/decisions`: a person's answer to an approval or a question that a run waits for. */
export const postDecision: Route = async (event, caller, context) => {
  const key = sessionKeyOf(event, caller);
  const decision = jsonBody(event, DecisionBody, MAX_BODY_BYTES);
  const settled = await settleDecision(key, decision, caller, context);
  return json(settled === 'decided' ? 202 : 200, { id: decision.id, result: settled });
};

/**
 * Decides in the caller's name. A repeat of the decision that stands is reported as such, also after its run has continued.
 * Throws a Refusal: 400 if it grants what cannot be granted, 403 if the caller may not decide it, 409 with the decision that
 * stands if it differs or is by another person, 404 if nothing waits for it, 503 if a step keeps the session for too long.
 */
export async function settleDecision(
  key: SessionKey,
  decision: Decision,
  by: Decider,
  context: DecisionContext,
): Promise<'decided' | 'already_decided'> {
  const { id } = decision;
  const decided = await decideAs(by, key, decision, context);
  switch (decided.kind) {
    case 'decided':
      return 'decided';
    case 'already_decided':
    case 'closed': {
      const stands = own(await outcomesOf(decided.at ?? key, [id], context.io), id);
      // A person who knows the id of an approval was asked for it. To others outside of the session there is none.
      if (decided.outside && (!stands || stands.outcome === 'answered')) throw noSuchSession();
      // Its batch was closed in the meantime, and its result is not published yet.
      if (!stands && decided.kind === 'already_decided') return 'already_decided';
      if (stands?.by === undefined) throw nothingWaits(stands?.outcome);
      const isRepeated = stands.by === by.subject && isSame(decision.approved, stands);
      if (isRepeated) return 'already_decided';
      throw otherwise(stands, stands.by);
    }
    case 'forbidden':
      throw new Refusal(403, 'You may not decide this', { detail: decided.why });
    case 'ungrantable':
      throw new Refusal(400, 'Nothing to grant', { detail: decided.why });
    case 'no_change':
      throw new Refusal(400, 'No such change', { detail: decided.why });
    case 'unknown':
      throw noSuchSession();
    case 'busy': {
      const detail = 'A step is running in the session. Send the decision again.';
      throw new Refusal(503, 'Session busy', { detail }, { 'retry-after': '2' });
    }
    default:
      return decided satisfies never;
  }
}

/** Whether a decision equals the one that stands. */
function isSame(approved: Decision['approved'], { outcome, changes }: Outcome): boolean {
  if (typeof approved === 'boolean') return changes === undefined && approved === (outcome !== 'denied');
  if (approved.length === 0) return outcome === 'denied';
  const numbers = approved.toSorted((a, b) => a - b);
  return outcome === 'approved' && JSON.stringify(numbers) === JSON.stringify(changes);
}

function nothingWaits(outcome: string | undefined): Refusal {
  const why =
    outcome === undefined
      ? 'There is no such wait, or it has ended: it expired, or its run was stopped.'
      : `It has ended: ${outcome}.`;
  return new Refusal(404, 'Nothing to decide', {
    detail: `${why} GET /sessions/{sessionId} lists what the run waits for.`,
  });
}

/** Another decision came first. Says by whom, what and when, as far as that is still known. */
function otherwise({ outcome, at }: Outcome, by: string): Refusal {
  const time = at === undefined ? undefined : new Date(at).toISOString();
  return new Refusal(409, 'Already decided', {
    detail: `It was ${outcome} by ${by}${time === undefined ? '' : ` at ${time}`}. That stands; this decision has no effect.`,
    decision: { outcome, by, ...defined({ at: time }) },
  });
}
