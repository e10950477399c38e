/** Stands for all requesters if there were too many to remember. */
export const EVERYBODY = '*';
/** Requesters of one run that are remembered. */
const MAX_REQUESTERS = 100;

/** The requesters of a run when it has read messages of some more. */
export function withRequesters(before: readonly string[], more: readonly string[]): readonly string[] {
  const all = [...new Set([...before, ...more])];
  return all.length > MAX_REQUESTERS || all.includes(EVERYBODY) ? [EVERYBODY] : all;
}

/**
 * Whether a person is one of the requesters. Slack may name the team of the same person in two ways, by workspace and by
 * organisation, so the same user id is enough for a match.
 */
export function hasAsked(requesters: readonly string[], subject: string): boolean {
  const user = subject.startsWith('slack:') ? subject.slice(subject.lastIndexOf(':')) : undefined;
  return requesters.some(
    (one) =>
      one === subject ||
      one === EVERYBODY ||
      (user !== undefined && one.startsWith('slack:') && one.endsWith(user)),
  );
}
