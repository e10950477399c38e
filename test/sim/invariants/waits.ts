/** Invariants of waits, decisions and queued calls: 15, 19, 20. Checked at every change of a HEAD, and at commits. */

import { callingOf } from '../../../shared/agent/session/made.ts';
import { callsOf } from '../../../shared/agent/session/reply.ts';
import type { Slot } from '../../../shared/agent/session/slots.ts';
import { isAnswered } from '../../../shared/agent/session/waits.ts';
import { waitId } from '../../../shared/agent/step/batch/waits.ts';
import { texts } from '../../../shared/agent/texts.ts';
import type { Checks, HeadChange } from '../ledger.ts';
import { withoutTakenBack } from '../withdrawals.ts';
import { type Committed, toolSlots } from './commits.ts';
import { isParked, SKEW_MS } from './heads.ts';

export const waitChecks: Checks<HeadChange> = {
  '20 the last result makes the session due': ({ before, after, commit, now }) =>
    !commit &&
    before.pending.length > 0 &&
    after.pending.length === 0 &&
    (after.dueAt ?? Infinity) > now + SKEW_MS
      ? `nothing is waited for, and it is due in ${(after.dueAt ?? Infinity) - now} ms`
      : undefined,

  '20 only the last result makes the session due': ({ before, after, commit, now }) =>
    !commit &&
    after.pending.length > 0 &&
    after.pending.length < before.pending.length &&
    after.decisions === before.decisions &&
    !waitsForAnswers(before) &&
    after.dueAt !== before.dueAt
      ? `${after.pending.length} results are waited for, and it is due in ${(after.dueAt ?? Infinity) - now} ms`
      : undefined,

  '20 a commit ends the decisions and starts of its batch': ({ after, commit }) =>
    commit && commit.waits !== 'keep'
      ? [...Object.keys(after.decisions), ...Object.keys(after.starts)].join() || undefined
      : undefined,

  '20 a commit that keeps its batch keeps its waits': ({ before, after, commit }) =>
    commit?.waits === 'keep' && after.pending.join() !== before.pending.join()
      ? `${before.pending.join()} became ${after.pending.join()}`
      : undefined,

  // A replay of an event that was already incorporated is not an answer, nor is a message that was taken back.
  '15 a message answers a question, and ends a timer or the wait for a page': ({ facts, after, commit }) => {
    const news = withoutTakenBack(after.inbox, facts).filter(
      (id) => !facts.incorporated.has(id) && !facts.controls.has(id) && !id.startsWith('report-'),
    );
    const open = (after.session.batch?.waits ?? []).filter(({ id }) => after.pending.includes(id));
    const rests = commit && after.dueAt === undefined && isParked(after);
    return rests && news.length > 0 && open.every(({ kind }) => ['question', 'timer', 'page'].includes(kind))
      ? `asks on with ${news.join()} in the inbox`
      : undefined;
  },

  '20 a batch that waits has its waits on HEAD': ({ after, commit }) =>
    commit &&
    commit.waits !== 'keep' &&
    after.pending.join() !==
      (after.session.batch?.waits ?? [])
        .map(({ id }) => id)
        .sort()
        .join()
      ? after.pending.join()
      : undefined,

  '20 no step gives back a batch that waits for calls': ({ after, commit }) =>
    commit?.waits === 'keep' && after.session.batch?.waits.some(({ kind }) => kind === 'call')
      ? 'a step gave back a batch that waits for calls'
      : undefined,

  '20 a batch is closed when all its results are there': ({ before, after, commit, now }) => {
    const { batch, run } = before.session;
    const isClosed = after.session.batch?.slot !== batch?.slot || after.session.run?.id !== run?.id;
    if (!commit || !batch || !isClosed || after.session.cancelSeen > before.session.cancelSeen)
      return undefined;
    const open = batch.waits.filter(
      ({ id, kind, expiresAt }) =>
        kind === 'call' && before.pending.includes(id) && expiresAt > now + SKEW_MS,
    );
    return open.length > 0 ? `${open.map(({ callId }) => callId).join()} had time left` : undefined;
  },
};

/** An answer makes the session due, however many are still pending. */
const waitsForAnswers = ({ session }: HeadChange['before']): boolean =>
  session.batch?.waits.some(isAnswered) ?? false;

export const batchChecks: Checks<Committed> = {
  '19 a decision that was acknowledged counts': ({ before, after, slots, facts }) => {
    for (const { id } of before.session.batch?.waits ?? []) {
      const told = facts.decisionsTold.get(id);
      if (!told || after.session.batch?.waits.some((wait) => wait.id === id)) continue;
      const result = toolSlots(slots)
        .flatMap(({ results }) => results)
        .find((candidate) => candidate.callId === told.callId);
      if (told.approved && result?.outcome === 'refused')
        return `${told.callId} was approved, and its result says: ${result.content}`;
    }
    return undefined;
  },

  '19 a call without a valid grant is asked about': ({ before, slots, claim }) => {
    const { grants = [], batch } = claim?.head.session ?? {};
    const isAllOver = grants.length > 0 && grants.every(({ id }) => claim?.head.revoked.includes(id));
    // Results of an owner that has died may be older.
    if (batch || before.session.batch || !isAllOver || (claim?.died ?? 0) > 0) return undefined;
    const refused = toolSlots(slots)
      .flatMap(({ results }) => results)
      .find(({ content }) => content === texts.leaveOver);
    return refused && `${refused.callId} was refused, and no person was asked`;
  },

  '19 people who are asked have time': ({ before, after, slots, facts, now }) => {
    const { batch } = before.session;
    if (!batch || after.session.batch?.slot === batch.slot || after.session.run?.ended) return undefined;
    const results = toolSlots(slots).flatMap((slot) => slot.results);
    const hurried = batch.waits.find(
      ({ id, callId, kind, expiresAt }) =>
        kind === 'approval' &&
        !before.decisions[id] &&
        expiresAt > now + SKEW_MS &&
        results.some((result) => result.callId === callId && result.outcome === 'refused'),
    );
    return hurried && !facts.startedOnce.has(hurried.callId)
      ? `${hurried.callId} had ${hurried.expiresAt - now} ms left, and no person has decided`
      : undefined;
  },

  // It waits whether a page is there or not, so that a page which leaves and returns finds it.
  '32 a call waits for its page': ({ before, after, slots, facts, now }) => {
    const { batch, cancelSeen } = before.session;
    const { session } = after;
    const news = withoutTakenBack(before.inbox, facts).filter((id) => !facts.incorporated.has(id));
    if (!batch || session.batch?.slot === batch.slot || session.run?.ended) return undefined;
    if (session.cancelSeen > cancelSeen || news.length > 0) return undefined;
    const results = toolSlots(slots).flatMap((slot) => slot.results);
    const left = batch.waits.find(
      ({ callId, kind, expiresAt }) =>
        kind === 'page' &&
        expiresAt > now + SKEW_MS &&
        results.some((result) => result.callId === callId && result.outcome === 'unknown'),
    );
    return left && `${left.callId} had ${left.expiresAt - now} ms left, and no page has answered`;
  },

  '19 a wait is bound to its slot, kind and arguments': ({ facts: { key }, before, after }) => {
    const { batch } = after.session;
    if (!batch || batch === before.session.batch) return undefined;
    for (const { callId, tool, kind } of batch.waits) {
      const call = { id: callId, name: tool, input: {} };
      const others = [
        waitId(key, batch.slot, kind, call),
        waitId(key, batch.slot, kind, { ...call, input: { other: true } }),
      ];
      if (others[0] === others[1]) return `${callId}: its arguments do not count`;
      if (waitId(key, batch.slot + 1, kind, call) === others[0]) return `${callId}: its slot does not count`;
      const another = kind === 'call' ? 'approval' : 'call';
      if (waitId(key, batch.slot, another, call) === others[0]) return `${callId}: its kind does not count`;
    }
    return undefined;
  },

  '20 every call without a result is waited for': ({ facts, before, after, kept }) => {
    const { batch } = after.session;
    if (!batch || batch === before.session.batch || batch.waits.some(({ kind }) => kind !== 'call'))
      return undefined;
    const reply: Slot = JSON.parse(facts.slots[batch.slot] ?? '{}');
    const calling = callingOf(reply);
    const calls = callsOf(calling);
    // In a plan no change begins before the earlier ones are over.
    const waited = calls.findIndex(({ id }) => batch.waits.some(({ callId }) => callId === id));
    const asked = calling?.by === 'plan' && waited >= 0 ? calls.slice(0, waited + 1) : calls;
    const said = [...batch.waits, ...(batch.unrun ?? []), ...(batch.deferred ?? [])];
    const forgotten = asked.find(({ id }) => !kept.includes(id) && !said.some(({ callId }) => callId === id));
    return forgotten && `no worker runs ${forgotten.id}, which has no result`;
  },
};
