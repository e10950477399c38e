import type { Frame } from '../../../contract/events.ts';
import type { Wake } from '../../../contract/queue.ts';
import { packFrames } from '../../events/pack-frames.ts';
import { tellOutside } from '../../outbound/tell.ts';
import { allEnded } from '../../plain/all-ended.ts';
import { defined } from '../../plain/defined.ts';
import type { Fence } from '../../ports/fence.ts';
import type { Ports, Settlement } from '../../ports/ports.ts';
import type { CommitRequest, SessionView } from '../../ports/sessions.ts';
import { answersTo } from '../../session/children.ts';
import { knownAfter } from '../../session/known.ts';
import { hasMoved, standingOf } from '../../session/listing.ts';
import type { Session } from '../../session/session.ts';
import { askedOf, firstExpiry, waitsForChildren } from '../../session/waits.ts';
import { AGAIN_MS, MAX_DELAY_MS, type Next, wakeFor, wakeWith } from '../../session/wake.ts';
import type { Draft } from '../draft.ts';
import { withReports } from '../model/delegated.ts';
import { EXACT_BELOW_MS } from '../model/retry.ts';
import type { Loaded, Unclaimed } from '../open/load.ts';
import type { Step } from '../open/step-context.ts';
import { openWaits } from '../open/waiting.ts';
import { conclude } from './conclude.ts';
import { withInfra } from './infra.ts';
import { lookForAnswers } from './look-for-answers.ts';
import { measure, reportOf, traceOf } from './meter.ts';
import { readAnsweringParent, readStopping, readTellingProgress } from './read-answering-parent.ts';

/** Commits a step and sends what follows from it. If a commit missed an event or a cancel, its end is decided again. */
export async function commit(step: Step, drafted: Draft): Promise<Settlement> {
  const { loaded, stream, io, marking, packing, stepName, atCommit } = step;
  const { key, view } = loaded;
  const [unmarked, packed] = await Promise.all([marking, packing]);
  await stream.settle();
  const draft = withInfra(drafted, io.bill?.usd());
  const events: Draft['events'] = [...draft.events, ...atCommit, { type: 'STEP_FINISHED', stepName }];

  for (let { fence } = view; ; ) {
    const now = io.clock.now();
    const concluded = conclude({ ...draft, events }, fence, now, view.fence);
    const tail = stream.tail(concluded.events);
    const session = {
      ...concluded.session,
      ...defined({ packed }),
      eventSeq: tail.at(-1)?.seq ?? concluded.session.eventSeq,
    };
    const { next, waits } = concluded;
    const forgotten = fence.revoked.filter((id) => !isNamed(session, id));
    const result = await io.sessions.commit({
      epoch: view.fence.epoch,
      seen: fence,
      session,
      incorporated: draft.incorporated,
      unmarked,
      known: knownAfter(view.fence, unmarked, now),
      next,
      waits,
      ...(forgotten.length > 0 && { forgotten }),
      ...(leavesReplyOpen(view.session, session) && { intents: 'keep' }),
      tail,
      now,
    });
    switch (result.kind) {
      case 'committed':
        measure(io.meter, session.agent, concluded.said);
        io.meter.step(reportOf(step, draft, session, next, now), traceOf(step, session, concluded.said, now));
        await allEnded([
          sendNext(session, next, now, io, wakeAfter(step, session)),
          tellOutside(session, io),
          tellParent(session, tail, io),
          stopIfCancelled({ session, fence }, io),
          asksNews(view.session, session) && knockAtParent(session, io),
          next.kind === 'run' && tellProgress(view.session, session, io),
          hasMoved(view.session, session) && list(session, view.fence.epoch, now, io),
          stream.deliver(tail, result.subscribers),
        ]);
        return 'ack';
      case 'superseded':
        return 'retry';
      case 'moved':
        fence = result.fence;
        break;
      default:
        return result satisfies never;
    }
    if (fence.epoch !== view.fence.epoch)
      throw new Error(`${key.sessionId}: a moved commit names another epoch`);
  }
}

/** Whether a session still uses a grant: it has the grant, or has allowed calls by it that may not have begun. */
const isNamed = ({ grants = [], batch }: Session, id: string): boolean =>
  grants.some((grant) => grant.id === id) ||
  Object.values(batch?.leaves ?? {}).some(({ grant }) => grant === id);

/** A step that commits no slot may leave uncommitted ones behind, so the next step reads what there is. */
const wakeAfter = (
  { loaded: { view, slots }, kept }: Pick<Step, 'loaded' | 'kept'>,
  session: Session,
): Wake =>
  session.version > view.session.version
    ? wakeWith(session, view.fence.epoch, [...slots.filter(({ n }) => n < view.session.version), ...kept])
    : wakeFor(session);

/** Whether the run may still find a reply of an owner that has died since, because its slot is still empty. */
const leavesReplyOpen = (before: Session, after: Session): boolean =>
  !before.batch && after.version === before.version && !after.run?.ended;

/** Time in ms after which a revived wake looks again for the end of a lease: about one lease. */
const REVIVED_AGAIN_MS = 60_000;

/** Settles a message whose claim was not granted (docs/design.md, step 1). */
export async function settleUnclaimed(claim: Unclaimed, wake: Wake, io: Ports): Promise<Settlement> {
  switch (claim.kind) {
    case 'leased_by_this_message':
      return 'retry';
    case 'leased':
      // The owner's own message may be the dead letter that this wake replaces; then this is the only message.
      if (wake.deadLetters) await send(wake, REVIVED_AGAIN_MS, io);
      return 'ack';
    case 'unknown':
      return 'ack';
    case 'early':
      // The owner may have died between its commit and the sends that follow from it.
      await sendCalls(claim.view.session, io, claim.view.fence.pending);
      // One wake in, one wake out: this may be the only one the session has.
      await send(wake, claim.dueAt - io.clock.now(), io);
      return 'ack';
    case 'rest':
      await wakeExpired(claim.view, io);
      await lookForAnswers(claim.view.session, io, claim.view.fence.pending);
      await tellAgain(claim.view, io);
      await tellOutside(claim.view.session, io);
      await tellParent(claim.view.session, claim.view.tail, io);
      await stopIfCancelled(claim.view, io);
      if (mayAsk(claim.view.session)) await knockAtParent(claim.view.session, io);
      await list(claim.view.session, claim.view.fence.epoch, io.clock.now(), io);
      return 'ack';
    default:
      return claim satisfies never;
  }
}

/** Returns a session that was woken without need: its events had already been incorporated, or are quiet reports. */
export function release(loaded: Loaded, io: Ports): Promise<Settlement> {
  const now = io.clock.now();
  const { session, fence } = loaded.view;
  const incorporated = fence.inbox;
  return giveBack(loaded, now, io, (seen) => ({
    // A cancel that found no run must not hit the next one.
    session: { ...withReports(session, loaded.inbox, now), cancelSeen: seen.cancelGen },
    incorporated,
    next:
      !seen.overflow && seen.inbox.every((id) => incorporated.includes(id))
        ? { kind: 'rest' }
        : { kind: 'run', dueAt: now },
    waits: [],
  }));
}

/** Returns a session that must continue to wait for people, after one of several decisions or a message. */
export function goOnWaiting(loaded: Loaded, now: number, io: Ports): Promise<Settlement> {
  const { session, fence } = loaded.view;
  return giveBack(loaded, now, io, (seen) => ({
    session,
    incorporated: [],
    // Something that arrived meanwhile may end the wait; the next invocation checks.
    next:
      seen === fence
        ? { kind: 'wait_for_people', until: firstExpiry(openWaits(loaded, now)) }
        : { kind: 'run', dueAt: now },
    waits: 'keep',
  }));
}

/** Commits a session in which nothing was done. The previous owner may have died after its commit and before it told clients. */
async function giveBack(
  { view }: Loaded,
  now: number,
  io: Ports,
  requestFor: (seen: Fence) => Pick<CommitRequest, 'session' | 'incorporated' | 'next' | 'waits'>,
): Promise<Settlement> {
  const { epoch, consumed } = view.fence;
  for (let seen = view.fence; ; ) {
    const request = requestFor(seen);
    const { tail } = view;
    const known = knownAfter(view.fence, consumed, now);
    const result = await io.sessions.commit({
      ...request,
      epoch,
      seen,
      unmarked: consumed,
      known,
      tail,
      now,
    });
    if (result.kind === 'superseded') return 'retry';
    if (result.kind === 'committed') {
      await allEnded([
        sendNext(view.session, request.next, now, io),
        tellOutside(view.session, io),
        tellAgain(view, io),
        mayAsk(request.session) && knockAtParent(request.session, io),
        request.next.kind !== 'run' && list(request.session, epoch, now, io),
      ]);
      return 'ack';
    }
    seen = result.fence;
  }
}

/**
 * Answers the call that a session works for, if its run has ended. As with a delivery, a redelivered message repairs what a dead
 * process has left out.
 */
export const tellParent = async (session: Session, tail: readonly Frame[], io: Ports): Promise<void> =>
  answersTo(session) && (await readAnsweringParent()).answerParent(session, tail, io);

/**
 * Stops what works for a session in the background, if its run was cancelled, or the session itself while no run was going on. It
 * follows the commit, and is repeated by redelivered messages and by the next claim.
 */
export const stopIfCancelled = async (
  { session, fence }: Pick<SessionView, 'session' | 'fence'>,
  io: Ports,
): Promise<void> => {
  const { background, run, state, cancelSeen } = session;
  if (!background || !run?.ended) return;
  if (state === 'cancelled' || fence.cancelGen > cancelSeen)
    await (await readStopping()).stopBackground(session, io);
};

/**
 * Whether people may be asked something else than the parent has last been told. An owner that has stored other requests and left
 * the session running may have died before it told the parent; its successor finds the requests unchanged.
 */
const asksNews = (before: Session, after: Session): boolean =>
  askedOf(before).join() !== askedOf(after).join() ||
  (before.state === 'running' && waitsForChildren(before));

/** Whether people are, or may have been, asked something for this session or for one below it. */
const mayAsk = (session: Session): boolean => askedOf(session).length > 0 || waitsForChildren(session);

/**
 * Has the session that this one works for look at what is asked here. The commit comes first and the knock then; an owner of the
 * parent looks after its claim, and cannot put the parent to rest when it has missed a knock. A redelivered message knocks again.
 */
const knockAtParent = async ({ key, parent, run }: Session, io: Ports): Promise<void> => {
  if (parent && !parent.background && !run?.ended) await (await readAnsweringParent()).knock(key, parent, io);
};

/**
 * Tells those who follow the session of a call how its child goes on, after its first step, the second, the fourth and so on: a
 * long child costs few reports. Best effort.
 */
async function tellProgress(before: Session, { key, parent, run }: Session, io: Ports): Promise<void> {
  const steps = run?.steps ?? 0;
  if (
    !parent ||
    parent.background ||
    !run ||
    steps === before.run?.steps ||
    !Number.isInteger(Math.log2(steps))
  )
    return;
  const { tellParentProgress } = await readTellingProgress();
  await tellParentProgress(key, parent, run, io).catch(() => undefined);
}

/** Updates session listings with the state that an epoch has committed. */
const list = (session: Session, epoch: number, now: number, { listings }: Ports): Promise<void> =>
  listings.moved(session.key, standingOf(session, epoch, now));

/** A waiting session is woken by the event that it waits for. If that does not come, a delayed wake or the sweeper wakes it. */
async function sendNext(
  session: Session,
  next: Next,
  now: number,
  io: Ports,
  wake = wakeFor(session),
): Promise<void> {
  if (next.kind === 'rest') return;
  if (next.kind === 'wait_for_calls') await sendCalls(session, io);
  if (next.kind === 'wait_for_people') await lookForAnswers(session, io);
  await send(wake, (next.kind === 'run' ? next.dueAt : next.until) - now, io);
}

/**
 * The delayed wake of an expired wait makes the session due, as the sweeper would within a minute. If that wait was decided, or
 * another one is open by now, it finds nothing to do.
 */
async function wakeExpired({ session, fence }: SessionView, io: Ports): Promise<void> {
  const now = io.clock.now();
  const open = (session.batch?.waits ?? []).filter(({ id }) => fence.pending.includes(id));
  if (firstExpiry(open) > now) return;
  await io.sessions.postpone(session.key, now, now + AGAIN_MS);
  // Reads HEAD, because the answer to the write may be lost, and an older HEAD becomes overdue only after a full minute.
  const view = await io.sessions.read(session.key);
  if (view?.dueAt !== undefined) await io.queue.send(wakeFor(session));
}

/**
 * Sends the queued calls of the open batch. A call that is sent again still runs once.
 *
 * @param pending calls that are still waited for; all of them when absent
 */
async function sendCalls(
  { key, batch }: Session,
  { queue }: Pick<Ports, 'queue'>,
  pending?: readonly string[],
): Promise<void> {
  const isOpen = (id: string) => pending?.includes(id) ?? true;
  const calls = (batch?.waits ?? []).filter(({ id, kind }) => kind === 'call' && isOpen(id));
  const slot = batch?.slot ?? 0;
  await allEnded(calls.map(({ id: waitId, callId }) => queue.call({ ...key, slot, callId, waitId })));
}

/**
 * The sweeper wakes whatever is due later than SQS can delay a message. In a short wait, the fraction of a second is waited for
 * here, since the queue would round it up. The session is not held meanwhile, and if this invocation dies, its message comes
 * back early and sends the wake.
 */
async function send(wake: Wake, delayMs: number, { clock, queue }: Ports): Promise<void> {
  if (delayMs > MAX_DELAY_MS) return;
  const rest = delayMs > 0 && delayMs < EXACT_BELOW_MS ? delayMs % 1000 : 0;
  if (rest > 0) await clock.sleep(rest);
  await queue.send(wake, Math.max(0, delayMs - rest));
}

/** The commit's owner may have died before it told its clients. Clients that have these frames drop them by their seq. */
async function tellAgain({ session, fence, tail }: SessionView, io: Ports): Promise<void> {
  const bodies = packFrames(session.key.sessionId, tail);
  await Promise.all(
    fence.subscribers.map(async (connection) => {
      for (const body of bodies) await io.sockets.post(connection, body);
    }),
  );
}
