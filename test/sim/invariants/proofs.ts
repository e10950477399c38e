/**
 * Invariant 35: an answer counts once the system has verified what its run changed. Checked when a commit ends a run.
 */

import type { Slot, ToolsSlot } from '../../../shared/agent/session/slots.ts';
import type { Checks, SessionFacts } from '../ledger.ts';
import { runBooks } from '../served.ts';
import { passes } from '../verifier.ts';
import type { Ended } from './ends.ts';

export const proofChecks: Checks<Ended> = {
  '35 the changes of a run have passed verification when its answer counts': ({ facts, after, proves }) => {
    const { state, run } = after.session;
    if (!proves || !run || state !== 'completed') return undefined;
    // A run that may only speak is not sent back.
    if (runBooks(facts.served, run.id).kept?.textOnly) return undefined;
    const { changed, check } = proofIn(facts, run.id);
    if (!changed) return undefined;
    if (!check || check.n < changed.n)
      return `${run.id} has changed files in slot ${changed.n}, and nothing has verified them`;
    return verdictOf(facts, check) === 'passed'
      ? undefined
      : `${run.id} is complete, and slot ${check.n} has not passed`;
  },

  '35 a run fails by its verification only if that has failed': ({ facts, after, proves }) => {
    const { reason, run } = after.session;
    if (!proves || !run || reason !== 'verification_failed') return undefined;
    const { check } = proofIn(facts, run.id);
    return check && verdictOf(facts, check) !== 'passed' ? undefined : `${run.id} has not failed`;
  },

  '35 a failed verification is about the files that the run leaves': ({ facts, after, proves }) => {
    const { run } = after.session;
    const hasFailed = after.tail.some(
      ({ event }) =>
        event.type === 'RUN_ERROR' &&
        event.code === 'verification_failed' &&
        event.message.includes('has failed with exit code'),
    );
    if (!proves || !run || !hasFailed) return undefined;
    const { changed, check } = proofIn(facts, run.id);
    return changed && (!check || check.n < changed.n)
      ? `${run.id} has failed, and nothing has verified what slot ${changed.n} has changed`
      : undefined;
  },

  '35 a failure is repaired once, and the model is told': ({ facts, after, proves }) => {
    const { reason, run } = after.session;
    if (!proves || !run) return undefined;
    const told = slotsOf(facts, run.id).flatMap((slot) =>
      slot.kind === 'model' ? slot.input.filter(({ internal }) => internal?.reason === 'repair') : [],
    );
    const { check } = proofIn(facts, run.id);
    const wasRun = reason === 'verification_failed' && check && verdictOf(facts, check) === 'failed';
    return told.length > 1 || (wasRun && told.length === 0)
      ? `${run.id} was told ${told.length} times`
      : undefined;
  },
};

const slotsOf = ({ stored }: SessionFacts, runId: string): Slot[] =>
  stored.filter((slot) => slot.runId === runId);

/** The last batch of a run that has changed files, and the last that has verified them. */
function proofIn(facts: SessionFacts, runId: string) {
  const batches = slotsOf(facts, runId).filter((slot): slot is ToolsSlot => slot.kind === 'tools');
  return {
    changed: batches.findLast(({ made, results }) => !made && results.some(({ changes }) => changes)),
    check: batches.findLast(({ made }) => made),
  };
}

/** The outcome of a call of the system, by the files that it has read itself and by its result. */
function verdictOf(
  { verified }: SessionFacts,
  { results: [result] }: ToolsSlot,
): 'passed' | 'failed' | 'not run' {
  if (result?.outcome !== 'ok' && result?.outcome !== 'error') return 'not run';
  const read = verified.get(result.callId) ?? [];
  return result.exitCode === 0 && read.some(passes) ? 'passed' : 'failed';
}
