import type { AgUiEvent } from '../../../contract/events.ts';
import { modelsOf, type Pinned, type PinnedModel } from '../../session/pinned.ts';
import type { Failure } from '../../session/reply.ts';
import { withRun } from '../../session/session.ts';
import { type RetryDecision, untried } from './retry.ts';
import type { Turn } from './turn.ts';

/** Longest wait in ms before a retry for which a run stays with its model when it has another. It is below the waits for rate limits. */
export const PATIENCE_MS = 20_000;

/**
 * Whether the next model of the definition is asked instead: if only the owner of the account can help, if the tries are spent
 * (even if an outage might still be waited out), or if the wait would be long. An invalid request would be invalid elsewhere
 * too, and failing over would hide the mistake.
 */
export function failsOver(failure: Failure, decision: RetryDecision): boolean {
  switch (failure.kind) {
    case 'account':
      return true;
    case 'retry':
      return decision.kind === 'give_up' || decision.spent || decision.delayMs > PATIENCE_MS;
    case 'too_long':
    case 'thinking_mismatch':
    case 'fatal':
      return false;
    default:
      return failure satisfies never;
  }
}

/**
 * The rest of the run uses the next model, if the definition has one. The choice is committed, so that a redelivered step asks
 * the same model.
 */
export function switchModel<Of extends Turn>(
  turn: Of,
  pinned: Pinned,
  { code, message }: Failure,
): { turn: Of; event: AgUiEvent } | undefined {
  const from = turn.session.run?.fallback ?? 0;
  const models = modelsOf(pinned);
  const [before, after] = [models[from], models[from + 1]];
  if (!before || !after) return undefined;
  const value = { from: nameOf(before), to: nameOf(after), why: `${code}: ${message}` };
  const session = withRun(turn.session, { ...untried, fallback: from + 1 });
  return { turn: { ...turn, session }, event: { type: 'CUSTOM', name: 'steploop.provider_switch', value } };
}

const nameOf = ({ provider, server, model }: PinnedModel) => ({ provider, server, model });
