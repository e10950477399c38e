import type { Failure } from './reply.ts';
import type { RetryDecision } from './retry.ts';

/** Longest wait in ms before a retry for which a run stays with its model when it has another: below A8's rate limits. */
const PATIENCE_MS = 20_000;

/**
 * Whether the next model of the definition is asked instead (T14): when nobody but the account's owner can help,
 * when the retries are spent, and when the wait would be long. A request that is wrong stays wrong elsewhere, and
 * would hide a mistake.
 */
export function failsOver(failure: Failure, decision: RetryDecision): boolean {
  switch (failure.kind) {
    case 'account':
      return true;
    case 'retry':
      return decision.kind === 'give_up' || decision.delayMs > PATIENCE_MS;
    case 'fatal':
      return false;
    default:
      return failure satisfies never;
  }
}
