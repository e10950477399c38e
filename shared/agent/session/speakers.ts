import { defined } from '../plain/defined.ts';
import { own } from '../plain/merge.ts';
import { type KnownCallers, type Speaker, withCallers } from './caller.ts';
import { withRequesters } from './requesters.ts';
import { runOf, type Session, withRun } from './session.ts';
import type { Decision, OpenBatch } from './waits.ts';

/**
 * The session, whose run now carries the words of these speakers too. Every way by which words reach a run ends here: messages, answers,
 * notes, retries, edits and requests to wrap up. Policies, four eyes, grants and `context.user` read what this collects, and nothing else.
 */
export function heardFrom(session: Session, speakers: readonly Speaker[]): Session {
  if (speakers.length === 0) return session;
  const run = runOf(session);
  const by = speakers.flatMap((speaker) => speaker.by ?? []);
  const requesters = by.length > 0 && { requesters: withRequesters(run.requesters ?? [], by) };
  return withRun(session, { ...requesters, ...withCallers(run, speakers) });
}

/** The speakers of a run, for the run that goes on with its words. */
export function speakersOf({
  requesters = [],
  callers = [],
  strangers,
}: KnownCallers & { readonly requesters?: readonly string[] }): readonly Speaker[] {
  const facts = new Map(callers.map(({ subject, ...caller }) => [subject, caller]));
  const known = requesters.map((by): Speaker => {
    const caller = facts.get(by);
    return { by, ...defined({ caller }) };
  });
  return strangers || known.length === 0 ? [...known, {}] : known;
}

/** The people whose words reach the model with the decisions on a batch: an answer to a question, and why a call or a plan is refused. */
export const speakersIn = (
  { waits }: Pick<OpenBatch, 'waits'>,
  decisions: Readonly<Record<string, Decision>>,
): readonly Speaker[] =>
  waits.flatMap(({ id, kind }): Speaker[] => {
    const decision = own(decisions, id);
    if (decision?.note === undefined) return [];
    const isRead = kind === 'question' || kind === 'plan' || !decision.approved;
    const { by, caller } = decision;
    return isRead ? [{ by, ...defined({ caller }) }] : [];
  });
