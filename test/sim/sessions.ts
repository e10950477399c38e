import type {
  ClaimResult,
  CommitRequest,
  CommitResult,
  SessionStore,
} from '../../shared/agent/ports/sessions.ts';
import type { Slot } from '../../shared/agent/session/slots.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { packChecks } from './invariants/packs.ts';
import { cameBack } from './invariants/peace.ts';
import { check } from './ledger.ts';
import type { Caller } from './network.ts';
import { observeSlot, observeSubscription, settledIn } from './observe.ts';
import { type Call, through } from './ports.ts';
import { sessionOf } from './queue.ts';
import type { World } from './world.ts';

/** The session store as one invocation sees it. Its writes and reads are recorded for the invariants. */
export function sessionsFor(caller: Caller, world: World, call: Call): SessionStore {
  const { memory, ledger, scheduler } = world;
  const { sessions } = memory;
  const { id } = caller;
  const claim = () => ledger.claims.get(id);
  const toldToStop = () => {
    const held = claim();
    if (held) held.stopKnownAt ??= scheduler.events;
  };

  return {
    ...through('sessions', sessions, call, world.past),
    subscribe: (key, connectionId) =>
      call('sessions.subscribe', () => {
        observeSubscription(world, connectionId);
        return sessions.subscribe(key, connectionId);
      }),
    unsubscribe: (key, connectionId) =>
      call('sessions.unsubscribe', () => {
        observeSubscription(world, connectionId);
        return sessions.unsubscribe(key, connectionId);
      }),
    async claim(request) {
      let own = false;
      const answeredAt = new Map<ClaimResult, number>();
      ledger.aims.set(id, { pk: ledger.facts(request.key).pk, messageId: request.messageId });
      const result = await call('claim', async () => {
        const head = memory.table.heads.get(`${request.key.tenant}#${request.key.sessionId}`);
        own = head?.owner !== undefined && head.ownerMessageId === request.messageId;
        const applied = await world.as(caller, () => sessions.claim(request));
        scheduler.trace.say(id, 'claim', applied.kind, request.key.sessionId, request.messageId);
        cameBack(world, id, applied.kind);
        answeredAt.set(applied, scheduler.events);
        if (applied.kind !== 'claimed' && owns(caller, request.key, world))
          ledger.violate(
            '5 a claim recognizes its own',
            `${id} owns the session and is told ${applied.kind}`,
          );
        return applied;
      });
      const answer = own && result.kind === 'leased' ? 'its own message is leased' : result.kind;
      ledger.told.set(id, { answer, at: answeredAt.get(result) ?? 0 });
      if (result.kind === 'early')
        ledger.early.set(id, { pending: result.view.fence.pending, dueAt: result.dueAt });
      const held = claim();
      if (held && result.kind === 'claimed') {
        held.answered = true;
        held.inbox = result.view.fence.inbox;
      }
      return result;
    },
    async *overdue(now, ahead) {
      const was = world.past.instead('sessions', 'overdue');
      const pages = (was ?? sessions).overdue(now, ahead)[Symbol.asyncIterator]();
      while (true) {
        // Asking again returns the same page.
        let asked: ReturnType<typeof pages.next> | undefined;
        const page = await call('sessions.overdue', () => (asked ??= pages.next()));
        if (page.done) return;
        yield page.value;
      }
    },
    putPack: (key, packId, slots) =>
      call('sessions.putPack', async () => {
        const facts = ledger.facts(key);
        const version = memory.table.heads.get(facts.pk)?.session.version ?? 0;
        if (facts.buriedAt === undefined) check(ledger, packChecks, { facts, version, slots });
        await sessions.putPack(key, packId, slots);
        for (const { n } of slots) facts.packed.add(n);
        scheduler.trace.say(id, 'putPack', key.sessionId, `${slots[0]?.n} to ${slots.at(-1)?.n}`);
      }),
    putSlot: (key, epoch, slot) =>
      call(`putSlot ${kindOf(slot)}`, async () => {
        const answer = await sessions.putSlot(key, epoch, slot);
        const which = `${kindOf(slot)} ${slot.n}`;
        scheduler.trace.say(id, 'putSlot', answer, key.sessionId, which, `epoch ${epoch}`);
        observeSlot(world, key, epoch, slot, answer);
        return answer;
      }),
    fence: (key, epoch, cancelGen, callIds) =>
      call('fence', async () => {
        const answer = await world.as(caller, () => sessions.fence(key, epoch, cancelGen, callIds));
        scheduler.trace.say(id, 'fence', answer, key.sessionId, callIds.join());
        return answer;
      }),
    putResult(key, n, result) {
      claim()?.unkept.delete(result.callId);
      return call('putResult', async () => {
        const { results, settledFirst, pk } = ledger.facts(key);
        await sessions.putResult(key, n, result);
        // The first one stays: that of a call that was given up has an unknown outcome.
        const kept = (await sessions.results(key, n)).find(({ callId }) => callId === result.callId);
        if (kept?.outcome === 'unknown' || results.has(result.callId)) return;
        results.set(result.callId, scheduler.events);
        if (settledIn(world, pk).has(result.callId)) settledFirst.add(result.callId);
      });
    },
    async commit(request) {
      let wrong: CommitResult | undefined;
      const result = await call('commit', async () => {
        const applied = await world.as(caller, () => sessions.commit(request), request);
        sayCommit(caller, world, request, applied);
        if (applied.kind === 'superseded' && hasCommitted(request, world)) wrong = applied;
        return applied;
      });
      if (result === wrong)
        ledger.violate(
          '5 a commit recognizes its own',
          `epoch ${request.epoch} has committed and is told otherwise`,
        );
      return result;
    },
    async extend(key, epoch, leaseUntil) {
      const held = await call('extend', () =>
        world.as(caller, () => sessions.extend(key, epoch, leaseUntil), undefined, epoch),
      );
      if (held === 'lost') toldToStop();
      return held;
    },
    async watch(key) {
      const seen = await call('watch', async () => {
        const was = world.past.instead('sessions', 'watch');
        return (was ?? sessions).watch(key);
      });
      const held = claim();
      if (held && seen && (seen.epoch !== held.epoch || seen.cancelGen > held.head.session.cancelSeen))
        toldToStop();
      return seen;
    },
    async restore(key, seen, to) {
      const { random } = scheduler;
      // Time in which a whole run may begin and end.
      if (random.chance(0.3)) await caller.host.clock.sleep(random.scale(1_000, 25_000));
      return call('restore', async () => {
        const now = memory.table.heads.get(sessionOf(key))?.session.version;
        const answer = await world.as(caller, () => sessions.restore(key, seen, to));
        scheduler.trace.say(id, 'restore', answer, key.sessionId);
        const facts = ledger.facts(key);
        if (answer === 'restored') {
          if (now !== seen.version)
            ledger.violate('31 files are restored over what was seen', `${seen.version} was, ${now} is`);
          facts.files = facts.trees.get(to.workspace ?? '') ?? new Map();
          facts.restored = true;
        }
        return answer;
      });
    },
    decide: (key, waitId, decision) =>
      call('decide', async () => {
        const { batch } = memory.table.heads.get(sessionOf(key))?.session ?? {};
        const answer = await world.as(caller, () => sessions.decide(key, waitId, decision));
        const { callId = '' } = batch?.waits.find((wait) => wait.id === waitId) ?? {};
        const { heard } = ledger.facts(key);
        const before = heard.get(callId) ?? [];
        const { approved, note = '' } = decision;
        if (answer === 'decided' && approved && !before.includes(note)) heard.set(callId, [...before, note]);
        const kept = memory.table.heads.get(sessionOf(key))?.decisions[waitId];
        if (answer !== 'decided' && kept && JSON.stringify(kept) === JSON.stringify(decision))
          ledger.violate('19 a decision recognizes its own', `${id} has decided and is told ${answer}`);
        scheduler.trace.say(id, 'decide', answer, key.sessionId, waitId);
        return answer;
      }),
    revoke: (key, grantId) =>
      call('revoke', async () => {
        const answer = await world.as(caller, () => sessions.revoke(key, grantId));
        const { revokedAt } = ledger.facts(key);
        revokedAt.set(grantId, revokedAt.get(grantId) ?? scheduler.now);
        scheduler.trace.say(id, 'revoke', answer, key.sessionId, grantId);
        return answer;
      }),
    beginCall(key, waitId, start, again, now) {
      ledger.aims.set(id, { pk: ledger.facts(key).pk, messageId: ledger.received.get(id) ?? '', waitId });
      return call('beginCall', async () => {
        const answer = await world.as(caller, () => sessions.beginCall(key, waitId, start, again, now));
        const { kind } = answer;
        const { batch } = memory.table.heads.get(sessionOf(key))?.session ?? {};
        const wait = batch?.waits.find((one) => one.id === waitId);
        if (kind === 'begun' && start.again && batch && wait) {
          const kept = await sessions.results(key, batch.slot);
          if (kept.some(({ callId }) => callId === wait.callId))
            ledger.facts(key).stood.add(`${id} ${wait.callId}`);
        }
        if (kind === 'died') mayGiveUp(world, key, waitId, id);
        const own = memory.table.heads.get(sessionOf(key))?.starts[waitId]?.invocationId === id;
        if (own && kind !== 'begun' && kind !== 'closed')
          ledger.violate('20 a start recognizes its own', `${id} has begun ${waitId} and is told ${kind}`);
        scheduler.trace.say(id, 'begin', answer.kind, key.sessionId, waitId);
        return answer;
      });
    },
    finishCall: (key, waitId, now) =>
      call('finishCall', async () => {
        const { batch } = memory.table.heads.get(sessionOf(key))?.session ?? {};
        const wait = batch?.waits.find((one) => one.id === waitId);
        const kept = batch ? await sessions.results(key, batch.slot) : [];
        const answer = await world.as(caller, () => sessions.finishCall(key, waitId, now));
        // Or what it waits for now.
        const waitsOn = memory.table.settled.get(ledger.facts(key).pk)?.has(waitId);
        if (answer !== 'closed' && wait && !waitsOn && !kept.some(({ callId }) => callId === wait.callId))
          ledger.violate('20 a call that is taken out has its result', `${wait.callId} has none`);
        // It is over, even if its invocation is still running: a person may have it run again.
        const { running } = ledger.facts(key);
        if (answer !== 'closed' && wait && running.get(wait.callId)?.caller === caller)
          running.delete(wait.callId);
        scheduler.trace.say(id, 'finish', answer, key.sessionId, waitId);
        return answer;
      }),
    cancel: (key, now) =>
      call('cancel', async () => {
        const answer = await world.as(caller, () => sessions.cancel(key, now));
        if (answer === 'cancelled') ledger.facts(key).cancelled = true;
        if (answer === 'idle' && memory.table.heads.get(sessionOf(key))?.sweepAt !== undefined)
          ledger.violate('18 a run that waits can be stopped', `${id} is told that ${key.sessionId} is idle`);
        return answer;
      }),
  };
}

const kindOf = (slot: Slot): 'model' | 'tools' | 'fold' =>
  slot.kind === 'model' && slot.fold ? 'fold' : slot.kind;

/** A `once` call that has begun has an unknown outcome, whichever process gives it up. */
function mayGiveUp({ ledger, memory, agentOf }: World, key: SessionKey, waitId: string, id: string): void {
  const { batch, agent = '' } = memory.table.heads.get(sessionOf(key))?.session ?? {};
  const wait = batch?.waits.find((one) => one.id === waitId);
  const isOnce = agentOf(agent)?.tools.some(({ name, effect }) => name === wait?.tool && effect === 'once');
  const { starters } = ledger.facts(key);
  if (isOnce) starters.set(waitId, (starters.get(waitId) ?? new Set()).add(id));
}

/** Whether this epoch has committed, and no other has begun since. */
function hasCommitted({ session, epoch }: CommitRequest, { ledger, memory }: World): boolean {
  const { committedEpochs, pk } = ledger.facts(session.key);
  return committedEpochs.has(epoch) && memory.table.heads.get(pk)?.epoch === epoch;
}

function sayCommit(
  caller: Caller,
  { scheduler }: World,
  { session, epoch, next }: CommitRequest,
  result: CommitResult,
): void {
  scheduler.trace.say(
    caller.id,
    'commit',
    result.kind,
    session.key.sessionId,
    `epoch ${epoch}`,
    `version ${session.version}`,
    session.state,
    session.reason,
    next.kind,
  );
}

/** Whether the session is held by this very invocation. */
export function owns({ id }: Caller, key: SessionKey, { memory }: World): boolean {
  return memory.table.heads.get(`${key.tenant}#${key.sessionId}`)?.owner === id;
}
