import { accept, cancel, openSession } from '../../shared/agent/entrypoints/accept.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { deployedIn } from './agents.ts';
import { startAskers } from './askers.ts';
import { startDeciders } from './deciders.ts';
import { startDeleters } from './deleters.ts';
import { personOf } from './facts.ts';
import { startForkers } from './forkers.ts';
import { cancelAnswered } from './invariants/cancels.ts';
import { invoke, noModel, type Slot, TIMEOUT_MS } from './invocation.ts';
import type { Caller } from './network.ts';
import { offer, startPages } from './pages.ts';
import { portsFor } from './ports.ts';
import { startRestorers } from './restorers.ts';
import { draftFiles, keepFiles } from './sent.ts';
import { mayTakeBack } from './takers-back.ts';
import { isLeftOut } from './withdrawals.ts';
import type { World } from './world.ts';

/** Names without digits, so that texts can carry them as marks. */
const TENANTS = ['acme', 'birch', 'cedar'];

export const sessionKeys = ({ workload }: World): SessionKey[] =>
  TENANTS.slice(0, workload.tenants).flatMap((tenant) =>
    Array.from({ length: workload.sessions }, (_, i) => ({ tenant, sessionId: `s${i + 1}` })),
  );

/** People and webhooks: they send events, stop runs, repeat requests. Also operational accidents. */
export function startPeople(world: World): void {
  const { workload, scheduler, faults } = world;
  const { random } = scheduler;
  for (const key of sessionKeys(world)) {
    for (let i = 1, at = random.between(0, 2_000); i <= workload.messages; i++) {
      later(world, at, (done) => sendEvent(world, key, i, done));
      at += random.between(0, workload.apartMs);
    }
    for (let i = 0; i < workload.cancels; i++) {
      const within = workload.apartMs * workload.messages + 5_000;
      later(world, random.between(100, within), (done) => stopRun(world, key, done));
    }
  }
  startDeciders(world);
  startAskers(world);
  startPages(world);
  startRestorers(world);
  startForkers(world);
  startDeleters(world);
  if (workload.deploys)
    scheduler.in(random.between(1_000, 60_000), () => {
      world.deployed = 1;
    });
  startLanes(world);
  const eachMinute = () => {
    if (faults.strikes('purge')) purge(world);
    if (faults.strikes('outage')) {
      scheduler.trace.say('store', 'is down');
      world.network.breakStore(random.between(100, 90_000));
    }
    scheduler.in(60_000, eachMinute);
  };
  scheduler.in(random.between(0, 60_000), eachMinute);
}

function purge({ queue, toolQueue, ledger, scheduler }: World): void {
  scheduler.trace.say('queue', 'is purged');
  queue.purge();
  toolQueue.purge();
  for (const facts of ledger.sessions.values()) {
    facts.purged = true;
    facts.purgedAt = scheduler.now;
    facts.callsPurged = true;
  }
}

/** Deploys other numbers of lanes. Messages in a lane that goes are lost, as CloudFormation deletes a queue. */
function startLanes(world: World): void {
  const { workload, scheduler, queue, ledger } = world;
  let at = 0;
  for (const lanes of workload.lanes?.slice(1) ?? []) {
    at += scheduler.random.between(500, 30_000);
    scheduler.in(at, () => {
      scheduler.trace.say('queue', 'has lanes', `${lanes.sends} of ${lanes.consumes}`);
      world.lanes = lanes;
      const lost = queue.purge(lanes.consumes);
      for (const facts of ledger.sessions.values()) if (lost.has(facts.pk)) facts.purged = true;
    });
  }
}

/** Runs an action later. The simulation is not at rest before it is done. */
export function later(world: World, ms: number, act: (done: () => void) => void): void {
  world.busy += 1;
  const done = () => {
    world.busy -= 1;
  };
  world.scheduler.in(ms, () => act(done));
}

/** A person sends a message to a session, and perhaps repeats it. */
export function sendEvent(world: World, key: SessionKey, i: number, done: () => void): void {
  const { workload, ledger, scheduler } = world;
  const { random } = scheduler;
  const poison = workload.poison !== 'none' && random.chance(0.5) ? ' poison' : '';
  // The order of arrival differs from that of the ids.
  const eventId = `e${99 - i}`;
  const letters = 'x'.repeat(random.chance(0.8) ? workload.letters : 0);
  const text = `<${key.tenant}> says ${key.sessionId} ${eventId}${letters}${poison}`;
  const sentAt = scheduler.now;
  const files = workload.sent > 0 && random.chance(workload.sent) ? draftFiles(random, eventId) : [];
  ledger.facts(key).events.set(eventId, { text, arrived: false, files, sentAt, toldAt: undefined });
  deliver(world, key, eventId, text, 8, () => {
    done();
    mayTakeBack(world, key, eventId);
    if (!random.chance(workload.replays)) return;
    for (let n = random.between(1, 3); n > 0; n--) {
      const other = random.chance(workload.conflicts) ? `${text} changed` : text;
      later(world, random.scale(10, 900_000), (ended) => deliver(world, key, eventId, other, 1, ended));
    }
  });
}

/** Sends an event until there is a response, or until it has tried often enough. */
function deliver(
  world: World,
  key: SessionKey,
  eventId: string,
  text: string,
  tries: number,
  done: () => void,
): void {
  const { ledger, scheduler, faults } = world;
  request(
    world,
    async (invoked) => {
      const io = portsFor(invoked, world, noModel);
      const agent = deployedIn(world);
      const opened = await openSession(key, agent, async () => undefined, io, { outbound: true });
      if (opened === 'other_agent') throw new Error('the session is of another agent');
      if (opened === 'gone') return opened;
      const whenFull = world.workload.maxInbox === undefined ? 'refuse' : 'keep';
      const caller = { kind: 'jwt', channel: 'http' } as const;
      const by = world.workload.known && { by: personOf({ key }), caller };
      const files = ledger.facts(key).events.get(eventId)?.files ?? [];
      const attachments = await keepFiles(files, key, io.blobs);
      const page = world.workload.pages !== undefined && { page: offer };
      return accept(
        key,
        { eventId, text, whenFull, ...(files.length > 0 && { attachments }), ...by, ...page },
        io,
      );
    },
    (answer, caller) => {
      scheduler.trace.say('sender', answer ?? 'no answer', key.sessionId, eventId);
      const sent = ledger.facts(key).events.get(eventId);
      const same = sent?.text === text;
      if (answer === 'unknown_session' && ledger.facts(key).buriedAt === undefined)
        ledger.violate('2 an opened session is there', eventId);
      if (answer === 'conflict' && same) ledger.violate('25 a replay is no conflict', eventId);
      if (answer && answer !== 'conflict' && answer !== 'gone' && answer !== 'unknown_session' && !same)
        ledger.violate('25 a changed body is a conflict', `${eventId}: ${answer}`);
      const facts = ledger.facts(key);
      const { pk, incorporated, sentBy } = facts;
      const isOver = incorporated.has(eventId) || isLeftOut(facts, eventId);
      const waits = world.memory.table.heads.get(pk)?.inbox.includes(eventId) && !isOver;
      if ((answer === 'accepted' || (answer === 'duplicate' && waits)) && !sentBy.has(caller))
        ledger.violate(
          '16 an acknowledged request has a wake',
          `${eventId}: ${answer}, and no wake was sent`,
        );
      if (sent && same && (answer === 'accepted' || answer === 'duplicate')) sent.toldAt ??= scheduler.now;
      if ((answer && answer !== 'full') || (tries <= 1 && !faults.stopped)) {
        done();
        return;
      }
      scheduler.in(scheduler.random.scale(500, 60_000), () =>
        deliver(world, key, eventId, text, tries - 1, done),
      );
    },
  );
}

/** A person asks a session's run to stop. */
export function stopRun(world: World, key: SessionKey, done: () => void): void {
  request(
    world,
    (caller) => cancel(key, portsFor(caller, world, noModel)),
    (answer, caller) => {
      world.scheduler.trace.say('canceller', answer ?? 'no answer', key.sessionId);
      cancelAnswered(world, key, answer, caller);
      done();
    },
  );
}

/** One request to an HTTP function, answered or not. */
export function request<T>(
  world: World,
  handler: (caller: Caller) => Promise<T>,
  answered: (answer: T | undefined, caller: string) => void,
): void {
  const slot: Slot = { host: undefined, busy: false };
  invoke(world, slot, TIMEOUT_MS.http, handler, (end) =>
    answered(typeof end === 'object' && 'answer' in end ? end.answer : undefined, slot.caller?.id ?? ''),
  );
}
