/** Invariants at rest: 15, 16, 18, 21, 24, 26, 38, 40. Checked when nothing is left to do. */

import { catchUp } from '../../../shared/agent/events/catch-up.ts';
import { listedState } from '../../../shared/agent/session/listing.ts';
import type { ToolResult } from '../../../shared/agent/session/slots.ts';
import type { Listed } from '../../../shared/edge/listed.ts';
import type { Head } from '../../../shared/memory/head.ts';
import { type OwnedFacts, ownerOf, scopeOf, textOf } from '../facts.ts';
import { type Checks, check, type SessionFacts } from '../ledger.ts';
import { createViewer, type Viewer } from '../viewer.ts';
import { isLeftOut } from '../withdrawals.ts';
import type { World } from '../world.ts';
import { checkDeleted } from './deleted.ts';
import { factChecks } from './facts.ts';
import { linesOf, linesOfSlots } from './views.ts';

/** A session at rest. */
export interface Resting {
  readonly facts: SessionFacts;
  readonly head: Head;
  /** Its entry in lists. */
  readonly listed: Listed | undefined;
}

const restChecks: Checks<Resting> = {
  '15 every accepted event is in one slot': ({ facts }) => {
    for (const [eventId, { toldAt }] of facts.events)
      if (toldAt !== undefined && !facts.incorporated.has(eventId) && !isLeftOut(facts, eventId))
        return `${facts.pk}: ${eventId} was accepted and is in no slot`;
    return undefined;
  },
  '16 nothing waits at rest': ({ head, facts }) =>
    head.inbox.length > 0 ||
    head.overflow ||
    head.dueAt !== undefined ||
    head.owner !== undefined ||
    head.attempts > 0
      ? `${facts.pk}: inbox ${head.inbox.join()}, due ${head.dueAt}, owner ${head.owner}, attempts ${head.attempts}`
      : undefined,
  '18 no cancel is left': ({ head, facts }) =>
    head.cancelGen !== head.session.cancelSeen
      ? `${facts.pk}: cancel ${head.cancelGen} was never seen`
      : undefined,
  '26 outside listeners can read the last commit': ({ head, facts }) =>
    head.session.outbound && facts.delivered < head.session.eventSeq && !facts.purged
      ? `${facts.pk}: delivered up to ${facts.delivered}, ${head.session.eventSeq} is committed`
      : undefined,
  '24 every run has ended': ({ head, facts }) =>
    head.session.run && !head.session.run.ended ? `${facts.pk}: ${head.session.run.id} goes on` : undefined,
  '38 lists show the current state': ({ head: { session }, facts, listed }) => {
    if (facts.purged || session.version === 0) return undefined;
    const is = `${listedState(session)}, ${session.totals.costUsd} USD`;
    const shown = listed && `${listed.state}, ${listed.totals.costUsd} USD`;
    return is === shown ? undefined : `${facts.pk} is ${is}, and is listed as ${shown}`;
  },
};

/** Checks every session and every client. Clients first catch up, without faults. */
export async function checkRest(world: World, viewers: readonly Viewer[]): Promise<void> {
  const { ledger, memory } = world;
  for (const facts of ledger.sessions.values()) {
    const head = memory.table.heads.get(facts.pk);
    if (!head) {
      if (facts.buriedAt !== undefined) checkDeleted(world, facts);
      continue;
    }
    check(ledger, restChecks, { facts, head, listed: await memory.listings.read(facts.key) });
    const late = createViewer(world, facts.key, `${facts.pk} late client`);
    for (const viewer of [...viewers.filter(({ key }) => ledger.facts(key) === facts), late])
      await checkView(world, facts, viewer);
    await joinInTheMiddle(world, facts);
  }
  for (const [owner, facts] of ledger.memories) await checkMemory(world, owner, facts);
}

/** A memory contains what its calls have saved: those that were told so, and those whose results say so. */
async function checkMemory(world: World, owner: string, facts: OwnedFacts): Promise<void> {
  const { ledger, memory } = world;
  const [tenant = '', user = ''] = owner.split(' ');
  const held = await memory.memories.all(user === 'all' ? { tenant } : { tenant, user });
  const told = [...facts].flatMap(([text, { isTold }]) => (isTold ? [text] : []));
  const said = [...ledger.sessions.values()].flatMap((session) =>
    session.stored.flatMap((slot) =>
      slot.kind === 'tools' ? slot.results.flatMap((result) => savedBy(session, owner, result)) : [],
    ),
  );
  const texts = held.map(({ text }) => text);
  check(ledger, factChecks, { owners: [owner], told: [...told, ...said], texts, ledger });
}

/** The fact of a call whose result says that it is done. */
const savedBy = (
  session: SessionFacts,
  owner: string,
  { name, outcome, callId }: ToolResult,
): readonly string[] =>
  (name === 'note' || name === 'jot') && outcome === 'ok' && ownerOf(session, scopeOf(callId)) === owner
    ? [textOf(session, callId)]
    : [];

/** A client with a cursor from the middle of the log gets a line in AG-UI order too. */
async function joinInTheMiddle(world: World, facts: SessionFacts): Promise<void> {
  const frames = (await catchUp(facts.key, 0, 500, world.memory)) ?? [];
  const from = frames[world.scheduler.random.between(0, Math.max(0, frames.length - 1))]?.seq ?? 0;
  createViewer(world, facts.key, `${facts.pk} joined after ${from}`, from).take(frames);
}

async function checkView(world: World, facts: SessionFacts, viewer: Viewer): Promise<void> {
  const head = world.memory.table.heads.get(facts.pk);
  const { eventSeq = 0, run: last } = head?.session ?? {};
  if (viewer.listens && !facts.purged && viewer.order.held.length === 0 && viewer.order.last < eventSeq)
    world.ledger.violate(
      '21 a listener gets the end',
      `${viewer.name} was told up to ${viewer.order.last}, ${eventSeq} is committed`,
    );
  for (let before = -1; viewer.order.last > before; ) {
    before = viewer.order.last;
    viewer.take((await catchUp(facts.key, before, 500, world.memory)) ?? []);
  }
  if (viewer.order.held.length > 0)
    world.ledger.violate(
      '21 a client that comes back misses nothing',
      `${viewer.name} has a gap after ${viewer.order.last}`,
    );
  // An older version that takes over shows the conversation, but not the folds.
  const isTold = (line: string) => !facts.older || !line.startsWith('fold-');
  const shown = linesOf(viewer.view).filter(isTold);
  const should = linesOfSlots(facts.slots).filter(isTold);
  const at = Math.max(shown.length, should.length);
  // The shared part of a fork is shown with the beginning of its first run, since AG-UI has no place for it before.
  const begun = head?.session.run !== undefined;
  for (let i = 0; begun && i < at; i++) {
    if (shown[i] === should[i]) continue;
    world.ledger.violate(
      '21 a client shows the committed state',
      `${viewer.name}, line ${i}: shown "${shown[i]}", committed "${should[i]}"`,
    );
    return;
  }
  const { run } = viewer.view;
  const told = run.kind === 'finished' ? run.result.reason : run.kind === 'failed' ? run.code : run.kind;
  if (last && told !== head?.session.reason)
    world.ledger.violate(
      '21 a client knows how the run ended',
      `${viewer.name} was told ${told}, and it is ${head?.session.reason}`,
    );
}
