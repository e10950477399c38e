import type { Planned } from './deliveries.ts';

/** A delivery and its outcome. Times are ms on one clock. */
export interface Answered {
  readonly delivery: Planned;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number;
  /** Title of the problem document, if it was refused. */
  readonly title: string | undefined;
  readonly sessionId: string | undefined;
  readonly duplicate: boolean | undefined;
}

export interface Judged {
  /** Answered as new. */
  readonly accepted: number;
  /** Answered as known. */
  readonly duplicates: number;
  /** Answered without a 2xx: GitHub would not send it again. */
  readonly refused: number;
  /** The reasons, each once. */
  readonly refusedWith: string;
  readonly sessions: number;
  /** Messages that reached sessions. */
  readonly held: number;
  /** Sent, but in no session. */
  readonly lost: number;
  readonly doubled: number;
  /** In a session other than their issue's. */
  readonly misplaced: number;
  /** Pairs of which one was answered before the other was sent, but is read after it. */
  readonly overtaken: number;
  /** Answered later than senders wait. */
  readonly late: number;
  /** The longest wait for an answer, in ms. */
  readonly slowestMs: number;
}

/** GitHub gives up on a delivery after 10 s (its documentation of webhooks). */
const PATIENCE_MS = 10_000;

/** Compares the messages in sessions with what was sent. `told`: by session, in order. */
export function judge(answered: readonly Answered[], told: ReadonlyMap<string, readonly string[]>): Judged {
  const is2xx = ({ status }: Answered) => status >= 200 && status < 300;
  const says = new Set(answered.map(({ delivery }) => delivery.says));
  const all = [...told.values()].flat();
  const held = new Set(all);
  const waits = answered.map(({ startedAt, endedAt }) => endedAt - startedAt);
  const ofIssue = new Map<number, Set<string>>();
  for (const { delivery, sessionId } of answered)
    if (sessionId) ofIssue.set(delivery.issue, (ofIssue.get(delivery.issue) ?? new Set()).add(sessionId));
  return {
    accepted: answered.filter((one) => is2xx(one) && one.duplicate === false).length,
    duplicates: answered.filter((one) => is2xx(one) && one.duplicate === true).length,
    refused: answered.filter((one) => !is2xx(one)).length,
    refusedWith: [
      ...new Set(answered.flatMap((one) => (is2xx(one) ? [] : [`${one.status} ${one.title}`]))),
    ].join(', '),
    sessions: told.size,
    held: all.length,
    lost: [...says].filter((text) => !held.has(text)).length,
    doubled: all.length - held.size,
    misplaced:
      [...ofIssue.values()].filter((ids) => ids.size > 1).length +
      [...told.values()].filter((texts) => new Set(texts.map((text) => text.split(':')[0])).size > 1).length,
    overtaken: [...told.values()].reduce((sum, texts) => sum + overtakenIn(texts, answered), 0),
    late: waits.filter((ms) => ms > PATIENCE_MS).length,
    slowestMs: Math.max(0, ...waits),
  };
}

/**
 * Pairs of one session that are read in another order than they arrived. Pairs that were under way at the same time do
 * not count.
 */
function overtakenIn(texts: readonly string[], answered: readonly Answered[]): number {
  const first = new Map<string, Pick<Answered, 'startedAt' | 'endedAt'>>();
  for (const { delivery, startedAt, endedAt } of answered) {
    const known = first.get(delivery.says);
    // It had arrived when any of its deliveries was answered, and may have arrived when the first was sent.
    first.set(delivery.says, {
      startedAt: Math.min(startedAt, known?.startedAt ?? startedAt),
      endedAt: Math.min(endedAt, known?.endedAt ?? endedAt),
    });
  }
  let pairs = 0;
  for (const [i, later] of texts.entries())
    for (const earlier of texts.slice(0, i)) {
      const [before, after] = [first.get(earlier), first.get(later)];
      if (before && after && after.endedAt < before.startedAt) pairs += 1;
    }
  return pairs;
}

/**
 * Everything that was sent is in its session, once, and in order of arrival. How long senders wait depends on this
 * machine.
 */
export const isRight = ({ refused, lost, doubled, misplaced, overtaken }: Judged): boolean =>
  [refused, lost, doubled, misplaced, overtaken].every((count) => count === 0);
