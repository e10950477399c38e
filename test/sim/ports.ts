import type { Ports } from '../../shared/agent/ports/ports.ts';
import { laneOf } from '../../shared/aws/lanes.ts';
import { createInbox, type Reach } from '../../shared/memory/inbox.ts';
import { budgetsFor } from './budgets.ts';
import { CALLER } from './caller.ts';
import { childrenFor, countAlive } from './family.ts';
import type { Host } from './host.ts';
import { listedDeleted } from './invariants/deleted.ts';
import { type Caller, Unreachable } from './network.ts';
import { observeArrival, observeLog, observePush, observeTell } from './observe.ts';
import type { Past } from './past.ts';
import type { SimQueue } from './queue.ts';
import { sessionsFor } from './sessions.ts';
import { slowedFor } from './signs.ts';
import type { World } from './world.ts';

/** How one invocation calls an operation of a service. */
export type Call = <T>(operation: string, apply: () => Promise<T>) => Promise<T>;

/**
 * Core ports as one invocation sees them: every operation is a scheduling point on its way to the service.
 * @param consumed the queue whose message started it
 */
export function portsFor(
  caller: Caller,
  world: World,
  provider: Ports['provider'],
  consumed: Pick<SimQueue, 'hide'> = world.queue,
): Ports {
  const { network, memory, queue, ledger, scheduler, workload } = world;
  const { id, host } = caller;
  // The lanes that it got at its start. They may have changed by the time it sends.
  const { sends: lanes } = world.lanes;
  const call: Call = (operation, apply) => network.call(caller, operation, apply);

  const howInbox = { betweenWrites: () => world.betweenWrites(caller), maxInbox: workload.maxInbox };
  const inbox = createInbox(memory.table, howInbox);

  const ports: Ports = {
    clock: host.clock,
    ids: world.ids,
    provider: slowedFor(caller, world, call, provider),
    sessions: sessionsFor(caller, world, call),
    inbox: {
      ...through('inbox', inbox, call, world.past),
      async accept(key, event, now, whenFull) {
        const facts = ledger.facts(key);
        let done: boolean | undefined;
        const arrive = () => {
          scheduler.trace.say(id, 'accept', key.sessionId, event.id);
          const { control, runId } = event;
          if (control && !facts.controls.has(event.id)) facts.controls.set(event.id, { control, runId });
          const head = memory.table.heads.get(facts.pk);
          const isTask = head?.session.parent !== undefined;
          if (!control && (event.internal || isTask) && !facts.events.has(event.id))
            facts.events.set(event.id, {
              ...{ text: event.text, arrived: true, files: [] },
              ...{ sentAt: scheduler.now, toldAt: undefined },
            });
          if (!control) observeArrival(facts, event.id, event.text);
          done = memory.table.events.get(facts.pk)?.get(event.id)?.done;
        };
        const reach: Reach = (what, write) =>
          call(what === 'keep' ? 'accept' : `accept ${what}`, async () => {
            if (what === 'keep') arrive();
            return what === 'tell' ? observeTell(world, facts, event.id, write) : write();
          });
        const inbox = createInbox(memory.table, { ...howInbox, reach });
        const result = await inbox.accept(key, event, now, whenFull);
        const begun = memory.table.heads.get(facts.pk);
        if (begun) countAlive(world, begun.session);
        if (done && 'wake' in result && result.wake)
          ledger.violate(
            '15 a finished event wakes no step',
            `${event.id} was done, and is ${result.kind} again`,
          );
        return result;
      },
    },
    listings: {
      moved: (key, standing, naming) =>
        call('listings.moved', async () => {
          await memory.listings.moved(key, standing, naming);
          listedDeleted(world, ledger.facts(key));
        }),
    },
    log: {
      ...through('log', memory.log, call, world.past),
      append: (key, frames) =>
        call('log.append', async () => {
          observeLog(world, key, caller, frames);
          await memory.log.append(key, frames);
        }),
    },
    blobs: blobsOf(host, world, call),
    egress: memory.egress,
    memories: through('memories', memory.memories, call),
    schedules: through('schedules', memory.schedules, call),
    queue: {
      send(wake, delayMs = 0) {
        const claim = ledger.claims.get(id);
        // A step also wakes its parent, and children that it stops.
        const held = claim?.pk === ledger.facts(wake).pk ? claim : undefined;
        if (held) held.sends += 1;
        // An answer may have come before it was waited for, and has its own wake.
        if (held && held.sends > (held.waitsForAnswers ? 2 : 1))
          ledger.violate('17 one wake follows a step', `${id} sends another one`);
        return call('queue.send', async () => {
          const early = ledger.early.get(id);
          if (early && scheduler.now + host.skewMs + delayMs < early.dueAt)
            ledger.violate('17 an early step sends a wake for the right time', `${id} sends one too soon`);
          const lane = laneOf(wake, lanes);
          if (lane >= world.lanes.consumes) throw new Unreachable('queue.send: there is no such queue');
          const messageId = queue.send(wake, delayMs, lane);
          const facts = ledger.facts(wake);
          facts.unsent = false;
          if (delayMs === 0) facts.wokenAt = scheduler.events;
          facts.sentBy.add(id);
          scheduler.trace.say(id, 'send', messageId, wake.sessionId, delayMs > 0 ? `in ${delayMs} ms` : '');
        });
      },
      due: () => Promise.reject(new Error('no step sends schedules')),
      deliver: (key) =>
        call('queue.deliver', async () => {
          const facts = ledger.facts(key);
          facts.delivered = memory.table.heads.get(facts.pk)?.session.eventSeq ?? 0;
          scheduler.trace.say(id, 'deliver', key.sessionId);
        }),
      call: (message) =>
        call('queue.call', async () => {
          const messageId = world.toolQueue.send(message, 0);
          scheduler.trace.say(id, 'call', messageId, message.sessionId, message.callId);
        }),
      hide: (handle, ms) =>
        call('queue.hide', async () => consumed.hide(handle, ms)).catch((error: unknown) => {
          if (!(error instanceof Unreachable)) throw error;
        }),
    },
    sockets: {
      post(connection, data) {
        observePush(world, id, connection, data);
        return world.sockets.post(caller, connection, data);
      },
    },
    config: {
      setting: (name) => (name === CALLER ? id : undefined),
      secret: () => Promise.reject(new Error('there are no secrets')),
    },
    resources: memory.resources,
    meter: memory.meter,
    budgets: budgetsFor(caller, world, call),
    later: {
      ...through('later', memory.later, call),
      urlOf: memory.later.urlOf,
      settle: (key, waitId, settled) =>
        call('later.settle', async () => {
          const { callId, child } = settled.result;
          const { answeredAt } = ledger.facts(key);
          if (child && settled.digest !== undefined && !answeredAt.has(callId))
            answeredAt.set(callId, scheduler.now);
          return memory.later.settle(key, waitId, settled);
        }),
    },
  };
  return workload.family || workload.handsOver
    ? { ...ports, children: childrenFor(caller, world, ports) }
    : ports;
}

/** How the store of blobs is called from a host now, and the object by which its code knows the store. */
const stores = new WeakMap<Host, { call: Call; readonly blobs: Ports['blobs'] }>();

/** The same for all invocations of a host, since a warm worker's caches belong to its store. */
function blobsOf(host: Host, world: World, call: Call): Ports['blobs'] {
  const known = stores.get(host);
  if (known) {
    known.call = call;
    return known.blobs;
  }
  const { memory, ledger } = world;
  const now: Call = (operation, apply) => store.call(operation, apply);
  const blobs: Ports['blobs'] = {
    ...through('blobs', memory.blobs, now),
    putBytes: (key, body) =>
      now('blobs.putBytes', async () => {
        await memory.blobs.putBytes(key, body);
        ledger.blobs.set(key, body.slice());
      }),
  };
  const store = { call, blobs };
  stores.set(host, store);
  return blobs;
}

/**
 * A port that makes every operation through `call`.
 * @param past answers reads that may be stale
 */
export function through<Port extends object>(name: string, port: Port, call: Call, past?: Past): Port {
  const operations = Object.entries(port).map(([member, operation]) => [
    member,
    (...args: unknown[]) =>
      call(`${name}.${member}`, async () => {
        const was = past?.instead(name as 'sessions', member);
        return Reflect.apply(was ? was[member as keyof typeof was] : operation, was ?? port, args);
      }),
  ]);
  return Object.fromEntries(operations) as Port;
}
