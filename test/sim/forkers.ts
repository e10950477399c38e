import { endOfStep, makeFork } from '../../shared/agent/entrypoints/fork.ts';
import { retryRun } from '../../shared/agent/entrypoints/retry.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Head } from '../../shared/memory/head.ts';
import { sinceOf } from './desk.ts';
import { noModel } from './invocation.ts';
import { later, request, sendEvent, sessionKeys } from './people.ts';
import { portsFor } from './ports.ts';
import type { World } from './world.ts';

/** People who fork a session, or one of its forks, at some step and continue there, and who retry failed runs. */
export function startForkers(world: World): void {
  const { workload, scheduler } = world;
  const within = workload.apartMs * workload.messages + 60_000;
  for (const key of sessionKeys(world)) {
    for (let i = 1; i <= (workload.forks ?? 0); i++)
      later(world, scheduler.random.between(100, within), (done) => fork(world, key, i, done));
    for (let i = 1; i <= (workload.retries ?? 0); i++)
      later(world, scheduler.random.between(100, within), (done) => retry(world, key, i, 8, done));
  }
}

/** Makes a fork and sends a message to it. The fork is of the session itself or of one of its forks. */
function fork(world: World, of: SessionKey, i: number, done: () => void): void {
  const { ledger, scheduler } = world;
  const { random } = scheduler;
  const family = [...ledger.sessions.values()].filter(
    ({ key, stored }) =>
      key.tenant === of.tenant && key.sessionId.startsWith(of.sessionId) && stored.length > 0,
  );
  if (family.length === 0) {
    done();
    return;
  }
  const { key, stored } = random.pick(family);
  const slot = random.chance(0.3) ? undefined : random.between(0, stored.length - 1);
  const forkId = `${of.sessionId}f${i}`;
  const says = random.chance(0.8) ? random.between(1, 2) : 0;
  const again = (tries: number) =>
    request(
      world,
      async (caller) => {
        const io = portsFor(caller, world, noModel);
        const view = await io.sessions.read(key);
        const below = view && (await endOfStep(view.session, slot, io.sessions));
        if (!view || below === undefined) return 'no step';
        const asked = { forkId, asked: '', user: undefined, title: 'a fork', by: 'somebody' };
        const made = await makeFork(view.session, below, asked, io);
        return typeof made === 'string' ? made : 'forked';
      },
      (answer) => {
        scheduler.trace.say('forker', answer ?? 'no answer', key.sessionId, forkId, `slot ${slot}`);
        if (answer === 'gone' || answer === 'full')
          ledger.violate('39 a session can be forked', `${key.sessionId} is ${answer}`);
        if (answer === undefined && (tries > 1 || world.faults.stopped))
          return scheduler.in(random.scale(500, 60_000), () => again(tries - 1));
        // If the fork's creator has given up, no other process knows of it, and it may be in no list.
        if (answer !== 'forked') ledger.facts({ ...of, sessionId: forkId }).purged = true;
        if (answer === 'forked')
          for (let n = 1; n <= says; n++)
            later(world, random.between(0, 5_000), (ended) =>
              sendEvent(world, { ...of, sessionId: forkId }, 20 * i + n, ended),
            );
        done();
      },
    );
  again(8);
}

function retry(world: World, key: SessionKey, i: number, tries: number, done: () => void): void {
  const { scheduler, faults, ledger } = world;
  const eventId = `retry${i}`;
  request(
    world,
    (caller) => retryRun(key, { eventId }, portsFor(caller, world, noModel)),
    (answer, caller) => {
      scheduler.trace.say('retrier', answer ?? 'no answer', key.sessionId, eventId);
      if (answer === 'accepted' && !ledger.facts(key).sentBy.has(caller))
        ledger.violate(
          '16 an acknowledged request has a wake',
          `${eventId}: ${answer}, and no wake was sent`,
        );
      if (answer || (tries <= 1 && !faults.stopped)) return done();
      scheduler.in(scheduler.random.scale(500, 60_000), () => retry(world, key, i, tries - 1, done));
    },
  );
}

/** The facts of a fork at its start: everything that was said, sent and done in the shared part. */
export function born({ ledger }: World, { session }: Head): void {
  const { forkOf, key } = session;
  if (!forkOf) return;
  const { below } = forkOf;
  const of = ledger.facts({ tenant: key.tenant, sessionId: forkOf.sessionId });
  const facts = ledger.facts(key);
  facts.slots.push(...of.slots.slice(0, below));
  facts.stored.push(...of.stored.slice(0, below));
  // A fork that does not share a fold folds by itself.
  const isShared = (name: string) => !(Number(name.split(' ').at(-1)) >= below);
  for (const [name, sent] of [...of.prefixes].filter(([one]) => isShared(one)))
    facts.prefixes.set(name, new Map([...sent].filter(([n]) => n < below)));
  for (const [n, what] of of.noticed) if (n < below) facts.noticed.set(n, what);
  for (const [id, slot] of of.incorporated) {
    const event = of.events.get(id);
    if (slot >= below || !event) continue;
    facts.incorporated.set(id, slot);
    facts.events.set(id, event);
  }
  for (const [hash, files] of of.trees) facts.trees.set(hash, files);
  const then = of.stored.slice(0, below).findLast((slot) => slot.workspace !== undefined)?.workspace;
  const isWhole = below === of.stored.length;
  // The session may have been read before people restored its files, and the fork created after that.
  const asRead = of.restored && isWhole ? of.trees.get(session.workspace ?? '') : undefined;
  const isOlder = asRead !== undefined && !isEqual(asRead, of.files);
  facts.files = (isWhole ? (isOlder ? asRead : of.files) : of.trees.get(then ?? '')) ?? new Map();
  facts.restored = of.restored && isWhole && !isOlder;
  for (const [held, text] of of.pinned) if (sinceOf(held) <= below) facts.pinned.set(held, text);
  facts.older = of.older;
}

const isEqual = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([path, held]) => b.get(path) === held);

/** Committed slots of a session as the table has them, whichever session owns them. */
export function committedSlots({ memory: { table } }: World, { key, origin = [], version }: Session) {
  const parts = [...origin, { sessionId: key.sessionId, below: version }];
  return parts.flatMap(({ sessionId, below }, i) => {
    const from = parts[i - 1]?.below ?? 0;
    const stored = [...(table.slots.get(`${key.tenant}#${sessionId}`)?.values() ?? [])];
    return stored
      .map(({ slot }) => slot)
      .filter(({ n }) => n >= from && n < below)
      .sort((a, b) => a.n - b.n);
  });
}
