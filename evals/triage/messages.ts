/** The messages that wake the triage agent: those of its own webhook, and those of people. */

import { onGithub } from '../../agents/triage/webhook.ts';
import { type Issue, number, repo } from './github.ts';

const about = ({ title, body, author = 'ada-m' }: Issue) => ({
  repository: { full_name: repo },
  sender: { login: author, type: 'User' },
  issue: { number, title, body },
});

/** The message of a delivery. Throws if the webhook ignores it. */
function wakeup(name: string, payload: object): string {
  const woken = onGithub({ name, deliveryId: 'd1', headers: {}, payload });
  if (!woken) throw new Error(`the webhook ignores this ${name}`);
  return woken.message;
}

/** A new issue. */
export const opened = (issue: Issue): string => wakeup('issues', { action: 'opened', ...about(issue) });

/** A comment on the issue. */
export const commented = (issue: Issue, body: string, by = 'ben-k'): string =>
  wakeup('issue_comment', {
    action: 'created',
    ...about(issue),
    sender: { login: by, type: 'User' },
    comment: { user: { login: by, type: 'User' }, body },
  });
