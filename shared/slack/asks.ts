import type { Outcome } from '../agent/events/wait-outcomes.ts';
import { own } from '../agent/plain/merge.ts';
import { callerFacts } from '../agent/session/caller.ts';
import { isApproved } from '../agent/session/waits.ts';
import { escapeMrkdwn } from './escape.ts';
import type { Profile } from './profiles.ts';
import type { Ask } from './story.ts';

/** A message with buttons or a question, by the request. `reason` is absent in memories from before it was kept. */
export type AskMessage = Pick<Ask, 'id'> & Partial<Pick<Ask, 'reason'>>;

/**
 * A person, as sessions record them.
 *
 * @param team their own: an id of one workspace is another person in another one
 */
export const byOf = (team: string, user: string): string => `slack:${team}:${user}`;

/** The author of a Slack message, as a session records it with the message. */
export const saidBy = (team: string, user: string, profile: Profile) => ({
  by: byOf(team, user),
  caller: callerFacts({ kind: 'slack', ...profile }, 'slack'),
});

/** The outcomes of asks, by id, in mrkdwn: the text that replaces the buttons. */
export const outcomeTexts = (
  asks: readonly AskMessage[],
  outcomes: Readonly<Record<string, Outcome>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    asks.flatMap(({ id, reason }) => {
      const outcome = own(outcomes, id);
      return outcome
        ? [[id, reason === 'timer' ? timerText(outcome) : outcomeText(outcome, isQuestion(reason))]]
        : [];
    }),
  );

/** Whether the answer is words. A question has no buttons, and silence does not deny it. */
export const isQuestion = (reason = 'approval'): boolean => !isApproved(reason);

function outcomeText({ outcome, by, changes }: Outcome, question: boolean): string {
  const who = by === undefined ? '' : ` by ${subjectText(by)}`;
  switch (outcome) {
    case 'approved':
      return `:white_check_mark: Approved${changes ? ` in part (${changes.join(', ')})` : ''}${who}`;
    case 'denied':
      return `:no_entry: Denied${who}`;
    case 'answered':
      return `:white_check_mark: Answered${who}`;
    case 'expired':
      return question
        ? ':hourglass: Not answered in time.'
        : ':hourglass: Not decided in time: it counts as denied.';
    case 'cancelled':
      return ':octagonal_sign: No longer needed: the run was stopped.';
    default:
      return outcome satisfies never;
  }
}

/** The end of a timer. No person decides it. */
const timerText = ({ outcome }: Outcome): string =>
  outcome === 'cancelled'
    ? ':octagonal_sign: The run was stopped.'
    : outcome === 'answered'
      ? ':white_check_mark: Continued early, because something came in.'
      : ':alarm_clock: The time has come.';

/** Slack users are mentioned; other people, and roles, are named as in their API. */
export function subjectText(by: string): string {
  const user = /^slack:[A-Z0-9]+:([A-Z0-9]+)$/.exec(by)?.[1];
  return user === undefined ? `\`${escapeMrkdwn(by.replaceAll('`', ''))}\`` : `<@${user}>`;
}
