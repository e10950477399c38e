import type { Outcome } from '../agent/doors/decided.ts';
import { escapeMrkdwn } from './escape.ts';

/**
 * A person, as sessions record them.
 *
 * @param team their own: an id of one workspace is another person in another one
 */
export const byOf = (team: string, user: string): string => `slack:${team}:${user}`;

/** What became of asks, by id, in mrkdwn: it stands where the buttons were. */
export const outcomeTexts = (outcomes: Readonly<Record<string, Outcome>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(outcomes).map(([id, outcome]) => [id, outcomeText(outcome)]));

function outcomeText({ outcome, by }: Outcome): string {
  const who = by === undefined ? '' : ` by ${subjectText(by)}`;
  switch (outcome) {
    case 'approved':
      return `:white_check_mark: Approved${who}`;
    case 'denied':
      return `:no_entry: Denied${who}`;
    case 'answered':
      return `:white_check_mark: Answered${who}`;
    case 'expired':
      return ':hourglass: Nobody decided in time: it counts as denied.';
    case 'cancelled':
      return ':octagonal_sign: Not needed any more: the run was stopped.';
    default:
      return outcome satisfies never;
  }
}

/** A person of Slack is mentioned; anybody else, and a role, is told by name, as their API has it. */
export function subjectText(by: string): string {
  const user = /^slack:[A-Z0-9]+:([A-Z0-9]+)$/.exec(by)?.[1];
  return user === undefined ? `\`${escapeMrkdwn(by.replaceAll('`', ''))}\`` : `<@${user}>`;
}
