import { decide } from '../../shared/agent/decide.ts';
import { outcomesOf } from '../../shared/agent/decided.ts';
import { own } from '../../shared/agent/merge.ts';
import type { Ports } from '../../shared/agent/ports.ts';
import type { Decision } from '../../shared/contract/ag-ui.ts';
import { DecisionBody, MAX_BODY_BYTES } from '../../shared/contract/http.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';

type DecidePorts = Pick<Ports, 'clock' | 'sessions' | 'queue' | 'log'>;

/** `POST /sessions/{sessionId}/decisions`: what a person says to an approval or a question that a run waits for. */
export const postDecision: Route = async (event, caller, { io }) => {
  const key = sessionKeyOf(event, caller);
  const decision = jsonBody(event, DecisionBody, MAX_BODY_BYTES);
  const settled = await settleDecision(key, decision, caller, io);
  return json(settled === 'decided' ? 202 : 200, { id: decision.id, result: settled });
};

/**
 * Decides in the name of the caller. Whoever repeats a decision that counts is told so, also when its run has gone on
 * since. Throws a Refusal: 404 when nothing waits for it, 503 when a step keeps the session for too long.
 */
export async function settleDecision(
  key: SessionKey,
  { id, approved, note }: Decision,
  { subject }: Pick<Identity, 'subject'>,
  io: DecidePorts,
): Promise<'decided' | 'already_decided'> {
  const decided = await decide(key, id, { approved, by: subject, ...(note !== undefined && { note }) }, io);
  switch (decided) {
    case 'decided':
    case 'already_decided':
      return decided;
    case 'closed': {
      const outcome = own(await outcomesOf(key, [id], io), id);
      if (outcome?.by === subject) return 'already_decided';
      throw nothingWaits(outcome?.outcome);
    }
    case 'unknown':
      throw noSuchSession();
    case 'busy': {
      const detail = 'The session is at work just now. Send the decision again.';
      throw new Refusal(503, 'Session busy', { detail }, { 'retry-after': '2' });
    }
    default:
      return decided satisfies never;
  }
}

function nothingWaits(outcome: string | undefined): Refusal {
  const why =
    outcome === undefined
      ? 'There is no such wait, or it is over: it has expired, or its run was stopped.'
      : `It is over: ${outcome}.`;
  return new Refusal(404, 'Nothing to decide', {
    detail: `${why} GET /sessions/{sessionId} lists what the run waits for.`,
  });
}
