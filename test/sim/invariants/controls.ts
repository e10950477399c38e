/** Invariant 28: what a run is asked to do, and does. */

import type { ModelRequest } from '../../../shared/agent/ports.ts';
import type { Checks, Claim, SessionFacts } from '../ledger.ts';
import type { Committed } from './commits.ts';
import { runIdFor } from './prompts.ts';

/** A model call that begins. */
export interface AskedUnderControl {
  readonly facts: SessionFacts;
  readonly claim: Claim;
  readonly textOnly: boolean;
}

/** Whether the model is told, last of all, that it may only speak. */
export function isTextOnly({ messages }: Pick<ModelRequest, 'messages'>): boolean {
  const last = String(messages.at(-1)?.content.at(-1)?.text ?? '');
  return /^\[steploop\] (Wrap up|Steps|Budget): /.test(last);
}

/** Controls of a kind that waited in the inbox when the step claimed. */
const waiting = ({ facts, claim }: Pick<AskedUnderControl, 'facts' | 'claim'>, kind: string): string[] =>
  claim.inbox.filter((id) => facts.controls.get(id) === kind && !facts.taken.has(id));

export const controlChecks: Checks<AskedUnderControl> = {
  '28 a run whose parent was cancelled asks nothing more': (asked) =>
    waiting(asked, 'parent_cancel').length > 0
      ? `${runIdFor(asked.claim)} asks the model, with ${waiting(asked, 'parent_cancel').join()} in its inbox`
      : undefined,

  '28 who is asked to wrap up only speaks': (asked) => {
    const { facts, claim, textOnly } = asked;
    const isAsked = waiting(asked, 'wrap_up').length > 0 || facts.wrapping.has(runIdFor(claim));
    return isAsked !== textOnly
      ? `${runIdFor(claim)} ${isAsked ? 'was asked to wrap up, and is' : 'may only speak, and was not'} asked`
      : undefined;
  },
};

/** Notes which runs have taken up that they are to wrap up. */
export function noteWrapUps({ facts, before, after }: Committed, incorporated: readonly string[]): void {
  const { run, version } = after.session;
  const asked = incorporated.filter((id) => facts.controls.has(id) && !facts.taken.has(id));
  for (const id of asked) facts.taken.add(id);
  // A session that is given back has done nothing about it.
  if (run && version > before.session.version && asked.some((id) => facts.controls.get(id) === 'wrap_up'))
    facts.wrapping.add(run.id);
}

export const wrapUpChecks: Checks<Committed> = {
  '28 who has wrapped up says so': ({ facts, after }) => {
    const { run, state } = after.session;
    if (state !== 'completed' || !run || !facts.wrapping.has(run.id)) return undefined;
    const ended = after.tail.find(({ event }) => event.type === 'CUSTOM' && event.name === 'steploop.ended');
    const value = ended?.event.type === 'CUSTOM' ? ended.event.value : {};
    return 'summary' in value ? undefined : `${run.id} was asked to wrap up, and its result has no summary`;
  },
};
