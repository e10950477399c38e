import { catchUp } from '../../shared/agent/events/catch-up.ts';
import { packFrames } from '../../shared/agent/events/pack-frames.ts';
import type { Frame } from '../../shared/contract/events.ts';
import { noModel } from './invocation.ts';
import { request, sessionKeys } from './people.ts';
import { portsFor } from './ports.ts';
import { createViewer, type Viewer } from './viewer.ts';
import type { World } from './world.ts';

/** Number of frames in one page of the log when a client catches up. It is small, so there are many pages. */
const PAGE = 12;
/** Maximum number of connections of one client. After that it stays away until the end. */
const MAX_CONNECTIONS = 8;
/** How often a client looks in the log for a gap (`web/client/follow.ts`). */
const LOOKUPS = 8;

/** Clients that connect, drop and reconnect, each following one session. */
export function startClients(world: World): Viewer[] {
  return sessionKeys(world).flatMap((key) =>
    Array.from({ length: world.workload.clients }, (_, i) => {
      const viewer = createViewer(world, key, `${key.tenant}/${key.sessionId}/client${i + 1}`);
      world.scheduler.in(world.scheduler.random.between(0, 5_000), () =>
        connect(world, viewer, MAX_CONNECTIONS),
      );
      return viewer;
    }),
  );
}

/** Connects and subscribes from its cursor on, as `functions/routes/socket-actions.ts` does. */
function connect(world: World, viewer: Viewer, left: number): void {
  if (left === 0) return;
  const { scheduler, workload, sockets, ledger } = world;
  const { key } = viewer;
  const { random } = scheduler;
  const connectionId = `${viewer.name}#${++world.connections}`;
  let open = true;
  const comeBack = () => {
    if (!open) return;
    open = false;
    viewer.listens = false;
    scheduler.in(random.between(100, 10_000), () => connect(world, viewer, left - 1));
    if (random.chance(0.7)) {
      request(
        world,
        (caller) => portsFor(caller, world, noModel).sessions.unsubscribe(key, connectionId),
        () => {},
      );
    }
  };
  let looking = false;
  const receive = (data: string) => {
    if (!open) return;
    const { sessionId, frames } = JSON.parse(data) as { sessionId: string; frames: Frame[] };
    if (sessionId !== key.sessionId || !connectionId.startsWith(`${key.tenant}/`))
      ledger.violate('23 a push is for its own session', `${connectionId} got ${sessionId}`);
    viewer.take(frames);
    if (viewer.order.held.length === 0 || looking) return;
    looking = true;
    fillGap(world, viewer, 1, () => (looking = false));
  };
  let missed = false;
  sockets.open(connectionId, {
    receive,
    closed: comeBack,
    missed() {
      missed = true;
      viewer.listens = false;
    },
  });
  scheduler.in(random.scale(100, workload.stayMs), () => sockets.close(connectionId));

  request(
    world,
    async (caller) => {
      const io = portsFor(caller, world, noModel);
      const { kind } = await io.sessions.subscribe(key, connectionId);
      if (kind !== 'subscribed') return kind;
      for (let after = viewer.order.last; ; ) {
        const frames = (await catchUp(key, after, PAGE, io)) ?? [];
        for (const body of packFrames(key.sessionId, frames))
          if ((await io.sockets.post(connectionId, body)) !== 'sent') return 'not sent';
        if (frames.length < PAGE) return 'subscribed';
        after = frames.at(-1)?.seq ?? after;
      }
    },
    (answer) => {
      if (answer !== 'subscribed') sockets.close(connectionId);
      else viewer.listens = open && !missed;
    },
  );
}

/** Reads what is missing over HTTP, and gives up after some attempts. */
function fillGap(world: World, viewer: Viewer, tries: number, done: () => void): void {
  const before = viewer.order.last;
  request(
    world,
    (caller) => catchUp(viewer.key, before, PAGE, portsFor(caller, world, noModel)),
    (frames) => {
      if (frames) viewer.take(frames);
      if (viewer.order.held.length === 0) return done();
      const more = viewer.order.last > before ? 1 : tries + 1;
      if (more > LOOKUPS) {
        viewer.skip();
        if (viewer.order.held.length === 0) return done();
      }
      const wait = more === 1 ? 1 : Math.min(1_000, 100 * 2 ** more);
      world.scheduler.in(wait, () => fillGap(world, viewer, more > LOOKUPS ? 1 : more, done));
    },
  );
}
