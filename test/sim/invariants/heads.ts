/** Invariants of one HEAD: 1, 2, 3, 5, 18, 24, and who may hold it. Checked at every change of one. */

import type { Checks, HeadChange } from '../ledger.ts';

/** Clocks of hosts differ from true time by up to this, in ms (fault 8). */
export const SKEW_MS = 10_000;
/** Maximum time in ms until a lost wake is repaired: `sweepAtFor`, and the skew of clocks. */
const SWEEP_MS = 660_000 + 2 * SKEW_MS;

/** Whether its run waits for people. */
export const isParked = ({ session, sweepAt }: HeadChange['after']): boolean =>
  session.batch?.waits.some(({ kind }) => kind !== 'call') === true &&
  session.state !== 'running' &&
  sweepAt !== undefined;

const expiryOf = ({ session }: HeadChange['after']): number =>
  Math.max(0, ...(session.batch?.waits ?? []).map(({ expiresAt }) => expiresAt));

export const headChecks: Checks<HeadChange> = {
  '1 epochs rise by one': ({ before, after }) =>
    after.epoch < before.epoch || after.epoch > before.epoch + 1
      ? `epoch ${before.epoch} became ${after.epoch}`
      : undefined,

  '1 a claim counts its attempt': ({ before, after }) =>
    after.epoch !== before.epoch && after.attempts !== before.attempts + 1
      ? `claimed with attempts ${before.attempts} → ${after.attempts}`
      : undefined,

  '2 the version never falls': ({ before, after }) =>
    after.session.version < before.session.version
      ? `version ${before.session.version} became ${after.session.version}`
      : undefined,

  '3 an epoch commits once': ({ facts, commit }) =>
    commit && facts.committedEpochs.has(commit.epoch) ? `epoch ${commit.epoch} committed again` : undefined,

  '5 only the owner commits': ({ before, commit }) =>
    commit && (commit.epoch !== before.epoch || before.owner === undefined)
      ? `epoch ${commit.epoch} committed over epoch ${before.epoch}, owner ${before.owner ?? 'none'}`
      : undefined,

  '5 a live lease is not taken over': ({ before, after, now }) =>
    after.epoch !== before.epoch && before.leaseUntil > now + SKEW_MS
      ? `claimed ${before.leaseUntil - now} ms before the lease ended`
      : undefined,

  '5 a claim names its owner': ({ before, after }) =>
    after.epoch !== before.epoch && (!after.owner || !after.ownerMessageId || after.leaseUntil === 0)
      ? 'claimed without owner or lease'
      : undefined,

  '12 nothing runs before it is due': ({ before, after, now }) =>
    after.epoch !== before.epoch && (before.dueAt ?? Number.POSITIVE_INFINITY) > now + SKEW_MS
      ? `claimed ${before.dueAt ? before.dueAt - now : 'while at rest:'} ms early`
      : undefined,

  '16 every session that is due or waits is in the index': ({ after }) =>
    (after.dueAt === undefined && !isParked(after)) !== (after.sweepAt === undefined)
      ? `dueAt ${after.dueAt}, sweepAt ${after.sweepAt}`
      : undefined,

  '16 a commit releases the session': ({ after, commit }) =>
    commit && (after.owner !== undefined || after.leaseUntil !== 0 || after.attempts !== 0)
      ? `owner ${after.owner}, lease ${after.leaseUntil}, attempts ${after.attempts}`
      : undefined,

  '15 no commit rests over an unseen event': ({ after, commit }) =>
    commit && after.dueAt === undefined && (after.inbox.length > 0 || after.overflow) && !isParked(after)
      ? `at rest with ${after.inbox.join(', ')} in the inbox${after.overflow ? ', and more beside it' : ''}`
      : undefined,

  // If the reply's slot is empty, a dead owner's write may still arrive. Then it must be known which calls were begun.
  '13 a commit ends its intents': ({ before, after, commit }) => {
    const left = Object.keys(after.intents);
    const { session } = after;
    const empty = commit && !before.session.batch && session.version === before.session.version;
    const mayCome = empty && !session.run?.ended;
    if (mayCome)
      return left.join() === Object.keys(before.intents).join() ? undefined : `${left.join()} left`;
    return commit && left.length > 0 ? left.join() : undefined;
  },

  '16 the sweeper looks in time': ({ after, now }) =>
    (after.sweepAt ?? 0) > Math.max(after.dueAt ?? expiryOf(after), now) + SWEEP_MS
      ? `due at ${after.dueAt}, looked at ${after.sweepAt}, now ${now}`
      : undefined,

  '18 a cancel is due at once': ({ before, after, now }) =>
    after.cancelGen !== before.cancelGen && (after.dueAt ?? 0) > now + SKEW_MS
      ? `cancelled, and due in ${(after.dueAt ?? 0) - now} ms`
      : undefined,

  // A step that leaves its reply to the next one decides nothing.
  '18 the next commit honours a cancel': ({ facts, before, after, commit }) =>
    commit &&
    after.session.cancelSeen !== after.cancelGen &&
    // A batch that stays open is closed by the next commit.
    !after.session.batch &&
    // A fold or an assessment decides nothing, even if it was stopped.
    !hasAssessed({ facts, before, after }) &&
    after.session.fold?.slot === before.session.fold?.slot &&
    facts.stoppedSummary !== commit.epoch &&
    (after.dueAt === undefined || after.session.version > before.session.version)
      ? `cancel ${after.cancelGen} was not seen (${after.session.cancelSeen})`
      : undefined,

  '18 nothing waits after a cancel': ({ after, commit, now }) =>
    commit &&
    after.session.cancelSeen !== after.cancelGen &&
    (after.dueAt ?? Number.POSITIVE_INFINITY) > now + SKEW_MS
      ? `cancel ${after.cancelGen} was not seen, and it is due at ${after.dueAt}`
      : undefined,

  '24 only an event ends rest': ({ before, after, commit }) =>
    before.dueAt === undefined &&
    !isParked(before) &&
    after.dueAt !== undefined &&
    (commit || (after.inbox.length === 0 && !after.overflow && !isStopped(before, after)))
      ? 'a session at rest became due without an event'
      : undefined,
};

/** Whether a cancel stops what works in the background for a session at rest. */
const isStopped = (before: HeadChange['before'], after: HeadChange['after']): boolean =>
  before.session.background !== undefined && after.cancelGen > before.cancelGen;

/** Whether the commit has kept an assessment, maybe of a dead owner. */
function hasAssessed({ facts, before, after }: Pick<HeadChange, 'facts' | 'before' | 'after'>): boolean {
  const { version } = before.session;
  const isNext = after.session.version === version + 1;
  return isNext && facts.durable.get(version)?.text.includes('"finding":') === true;
}
