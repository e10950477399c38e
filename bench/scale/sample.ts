import { accept, openSession } from '../../shared/agent/entrypoints/accept.ts';
import type { Provider } from '../../shared/agent/ports/provider.ts';
import { pkOf } from '../../shared/aws/layout.ts';
import { says, saysAndCalls } from '../../testing/scripted-model.ts';
import { worker } from './agent.ts';
import { type RunningClock, runningClock } from './clock.ts';
import { HOUR, type Load, sessionSeconds } from './load.ts';
import { createLedger, type Heat } from './table/ledger.ts';
import { countingTable } from './table/table.ts';
import { scaleWorld, type Used } from './world.ts';

/** The usage of a sample of sessions, over a time in which as many ended as began. */
export interface Sampled {
  /** Sessions that began in the hour, and those of them that ended as they should. */
  readonly sessions: number;
  readonly completed: number;
  /** The time of the following figures, in seconds. */
  readonly seconds: number;
  readonly steps: number;
  readonly messages: number;
  readonly hides: number;
  readonly pushes: number;
  /** Concurrent steps, on average. */
  readonly stepsAtOnce: number;
  readonly heats: readonly Heat[];
}

/**
 * Runs a sample of the load in virtual time: the real step and entry point, on the adapters for AWS, over a table that counts.
 *
 * @param share the share of the load's sessions that run
 */
export async function sample(
  load: Load,
  share: number,
  say: (line: string) => void = () => {},
): Promise<Sampled> {
  const count = Math.round(load.sessions * share);
  const clock = runningClock();
  const begunAt = clock.now();
  const from = begunAt + 1.5 * sessionSeconds(load) * 1000;
  const until = begunAt + HOUR * 1000;
  const isCounted = () => clock.now() >= from && clock.now() < until;
  const seconds = (until - from) / 1000;

  const ledger = createLedger(clock.now);
  const table = countingTable({ ...ledger, count: (use) => isCounted() && ledger.count(use) });
  const used: Record<Used, number> = { steps: 0, messages: 0, hides: 0, pushes: 0, stepMs: 0 };
  const sessions = new Map<string, Session>();
  let [ended, completed] = [0, 0];
  const agent = worker((ms) => clock.sleep(ms), load.toolMs);
  const world = scaleWorld({
    ...{ clock, table, agent },
    use(what, n) {
      if (isCounted()) used[what] += n;
    },
    modelOf: ({ sessionId }) =>
      modelOf(sessions.get(sessionId) ?? { asked: 0, isWatched: false }, load, clock),
    onRest(key, head) {
      const session = sessions.get(key.sessionId);
      if (!session) return;
      ended += 1;
      if (head.state === 'completed' && session.asked === load.steps) completed += 1;
      if (ended % 1000 === 0) say(`${ended} of ${count} sessions have ended`);
      sessions.delete(key.sessionId);
      table.drop(pkOf(key));
    },
  });

  const begin = async (n: number): Promise<void> => {
    const key = { tenant: 'acme', sessionId: `s${n}` };
    const session = { asked: 0, isWatched: isOneOf(n, load.watched) };
    sessions.set(key.sessionId, session);
    await openSession(key, agent, async () => undefined, world.io);
    if (session.isWatched) await world.io.sessions.subscribe(key, `connection${n}`);
    await accept(key, { eventId: `event${n}`, text: 'Look at all pages.' }, world.io);
  };
  const arrivals = async (): Promise<void> => {
    for (let n = 0; n < count; n++) {
      await begin(n);
      await clock.sleep(begunAt + ((n + 1) * HOUR * 1000) / count - clock.now());
    }
  };
  arrivals().catch(world.fail);
  await world.runUntil(() => ended === count);
  const { stepMs, ...uses } = used;
  return {
    ...{ sessions: count, completed, seconds, ...uses },
    stepsAtOnce: stepMs / 1000 / seconds,
    heats: ledger.heats(seconds),
  };
}

/** A session, and the number of its model calls. */
interface Session {
  readonly isWatched: boolean;
  asked: number;
}

/** Whether the n-th session belongs to the share. */
const isOneOf = (n: number, share: number): boolean => Math.floor((n + 1) * share) > Math.floor(n * share);

/** Interval of a reply's pieces: shorter if the session is followed. */
const PIECE_MS = { watched: 100, alone: 500 };

/** A model that writes 500 bytes in its time, and calls the tool until the last step. */
function modelOf(of: Session, { modelMs, steps }: Load, clock: RunningClock): Provider {
  return {
    async complete(_request, onDelta) {
      of.asked += 1;
      const pieces = Math.max(1, Math.round(modelMs / PIECE_MS[of.isWatched ? 'watched' : 'alone']));
      const piece = 'x'.repeat(Math.ceil(500 / pieces));
      for (let n = 0; n < pieces; n++) {
        await clock.sleep(modelMs / pieces);
        onDelta({ kind: 'text', text: piece });
      }
      const text = piece.repeat(pieces);
      return of.asked < steps ? saysAndCalls(text, ['leaf', { n: of.asked }]) : says(text);
    },
  };
}
