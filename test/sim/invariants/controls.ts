/** Invariant 28: requests to a run, and how it follows them. */

import type { Control } from '../../../shared/agent/ports/inbox.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { Checks, Claim, SessionFacts } from '../ledger.ts';
import { runBooks } from '../served.ts';
import type { Committed } from './commits.ts';
import { runIdFor } from './prompts.ts';

/** A model call that begins. */
export interface AskedUnderControl {
  readonly facts: SessionFacts;
  readonly claim: Claim;
  readonly textOnly: boolean;
  /** Whether its run has reached its limits. */
  readonly spent: boolean;
  /**
   * Whether it continues a turn that the model's server has paused. Nothing may follow such a turn, so requests to the
   * run are told after it.
   */
  readonly resumes: boolean;
  /** Whether its time is almost over, so that it sums up without a request; undefined if it may be. */
  readonly late: boolean | undefined;
}

/** Whether a request ends with the model's own words, since nothing may follow a paused turn. */
export const isResumed = ({ messages }: Pick<ModelRequest, 'messages'>): boolean =>
  messages.at(-1)?.role === 'assistant';

/** Whether the last message tells the model to answer with text only. */
export function isTextOnly({ messages }: Pick<ModelRequest, 'messages'>): boolean {
  const last = String(messages.at(-1)?.content.at(-1)?.text ?? '');
  return /^\[steploop\] (Wrap up|Steps|Budget): /.test(last);
}

/** Maximum number of steps for the summary of a run whose parent was cancelled (`guardrails/budgets/wrap-up.ts`). */
const MOST_STEPS = 5;

/** Pending requests of a kind to a run, not taken up so far. */
export const asked = (
  { controls, taken }: SessionFacts,
  inbox: readonly string[],
  kind: Control,
  runId: string,
): string[] =>
  inbox.filter((id) => {
    const known = controls.get(id);
    return known?.control === kind && known.runId === runId && !taken.has(id);
  });

/** Those that were in the inbox when the step claimed. */
const waiting = ({ facts, claim }: Pick<AskedUnderControl, 'facts' | 'claim'>, kind: Control): string[] =>
  asked(facts, claim.inbox, kind, runIdFor(claim));

export const controlChecks: Checks<AskedUnderControl> = {
  '28 a run whose parent was cancelled asks only for its summary, and not for long': (asking) => {
    const { facts, claim, resumes } = asking;
    if (resumes) return undefined;
    const runId = runIdFor(claim);
    const steps = facts.leaving.get(runId);
    const came = waiting(asking, 'parent_cancel');
    if (steps === undefined && came.length === 0) return undefined;
    const wraps = facts.wrapping.has(runId) || waiting(asking, 'wrap_up').length > 0 || asking.late !== false;
    if (!wraps) return `${runId} asks the model, with ${came.join()} in its inbox`;
    if ((steps ?? 0) >= MOST_STEPS) return `${runId} asks the model after ${steps} steps for its parent`;
    return facts.wrapping.has(runId) && hasSaid(facts, runId)
      ? `${runId} has said its summary, and asks again`
      : undefined;
  },

  '28 a run that wraps up only speaks': (asking) => {
    const { facts, claim, textOnly, spent, resumes, late } = asking;
    const asked = waiting(asking, 'wrap_up').length > 0 || facts.wrapping.has(runIdFor(claim));
    if (spent || resumes || (!asked && late === undefined)) return undefined;
    const isAsked = asked || late;
    return isAsked !== textOnly
      ? `${runIdFor(claim)} ${isAsked ? 'was asked to wrap up, and is' : 'may only speak, and was not'} asked`
      : undefined;
  },
};

/** Whether the last reply that a run has kept is a whole summary. */
function hasSaid({ served }: SessionFacts, runId: string): boolean {
  const { kept } = runBooks(served, runId);
  return kept?.textOnly === true && kept.stop === 'end_turn' && kept.text.trim() !== '';
}

/** Records which runs have taken up a request to wrap up, or a cancel of their parent. */
export function noteControls(
  { facts, before, after, slots }: Committed,
  incorporated: readonly string[],
): void {
  const { run, version } = after.session;
  // A session that is given back has not acted on it.
  const works = run && (version > before.session.version || !run.ended);
  const takenUp = (kind: Control) => (run ? asked(facts, incorporated, kind, run.id) : []);
  // A child whose time is almost over sums up without a request.
  const sumsUp = slots.some((slot) => slot?.kind === 'model' && slot.textOnly?.code === 'wrap_up');
  if (works && (sumsUp || takenUp('wrap_up').length > 0)) facts.wrapping.add(run.id);
  const steps = run && facts.leaving.get(run.id);
  if (works && (steps !== undefined || takenUp('parent_cancel').length > 0))
    facts.leaving.set(run.id, (steps ?? 0) + 1);
  for (const id of incorporated) if (facts.controls.has(id)) facts.taken.add(id);
}

export const wrapUpChecks: Checks<Committed> = {
  '28 a run that has wrapped up says so, however it ends': ({ facts, after }) => {
    const { run, state } = after.session;
    if (!run || !facts.wrapping.has(run.id)) return undefined;
    if (state !== 'completed' && !hasSaid(facts, run.id)) return undefined;
    const ended = after.tail.find(({ event }) => event.type === 'CUSTOM' && event.name === 'steploop.ended');
    const value = ended?.event.type === 'CUSTOM' ? ended.event.value : {};
    return 'summary' in value ? undefined : `${run.id} was asked to wrap up, and its result has no summary`;
  },

  '28 a run that has taken up its parent’s cancel ends so': ({ facts, after }) => {
    const { run, state, reason } = after.session;
    if (!run || !facts.leaving.has(run.id) || state === 'cancelled' || reason === 'crash_loop')
      return undefined;
    return `${run.id} ends as ${state}/${reason}, and its parent was cancelled`;
  },
};
