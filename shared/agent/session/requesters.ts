/** Stands for everybody where there were too many requesters to be remembered. */
export const EVERYBODY = '*';
/** Requesters of one run that are remembered. */
const MAX_REQUESTERS = 100;

/** The requesters of a run when it has read messages of some more. */
export function withRequesters(before: readonly string[], more: readonly string[]): readonly string[] {
  const all = [...new Set([...before, ...more])];
  return all.length > MAX_REQUESTERS || all.includes(EVERYBODY) ? [EVERYBODY] : all;
}

/**
 * Whether somebody is one of the requesters. Slack may name the team of the same person in two ways, by workspace and by
 * organisation: the user's id alone is enough to hold them off.
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
