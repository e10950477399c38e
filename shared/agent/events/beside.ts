/** Events of a session while no step of it runs: the progress of calls that run elsewhere. */

import type { CallProgress, Frame } from '../../contract/events.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { SessionView } from '../ports/sessions.ts';
import type { Session } from '../session/session.ts';
import { packFrames } from './pack-frames.ts';
import { epochStart, FRAMES_PER_EPOCH } from './stream.ts';

/** Pause in ms between two reports on one call. A step may report twice as often. */
const PAUSE_MS = 500;

type BesidePorts = Pick<Ports, 'clock' | 'log' | 'sockets' | 'sessions'>;

/**
 * A frame beside the sequence of a session whose batch is open. It follows the last frame of the commit that opened the batch,
 * and so does the first frame of the next step, which retracts it as it retracts frames of a dead attempt. An event that needs
 * an end must therefore not be sent this way (docs/adr/0002-frames.md). Its number is the elapsed share of the longest wait,
 * mapped to the numbers that are left in the epoch, so that no counter is needed. If two frames have the same number, one is
 * seen.
 *
 * @param above the number of the teller's previous frame
 * @returns undefined if no batch is open, or the epoch has no number left
 */
export function frameBeside(
  { eventSeq, batch }: Pick<Session, 'eventSeq' | 'batch'>,
  value: CallProgress,
  now: number,
  above = 0,
): Frame | undefined {
  if (!batch) return undefined;
  const left = epochStart(eventSeq) + FRAMES_PER_EPOCH - 1 - eventSeq;
  const longest = Math.max(1, ...batch.waits.map(({ expiresAt }) => expiresAt - batch.since));
  const over = Math.min(1, Math.max(0, (now - batch.since) / longest));
  const seq = Math.max(eventSeq + Math.max(1, Math.floor(left * over)), above + 1);
  // The numbers after these belong to the next step: a client that has one of them would take that step's frame for known.
  if (seq > eventSeq + left) return undefined;
  return { seq, prev: eventSeq, event: { type: 'CUSTOM', name: 'steploop.progress', value } };
}

/**
 * Tells subscribers, and the log for its readers. Best effort: does not reject.
 *
 * @returns the subscribers that are gone, or too slow
 */
export async function tellBeside(
  key: SessionKey,
  subscribers: readonly string[],
  frame: Frame,
  { log, sockets, sessions }: BesidePorts,
): Promise<readonly string[]> {
  const push = async (connection: string) => {
    for (const body of packFrames(key.sessionId, [frame])) {
      const outcome = await sockets.post(connection, body);
      if (outcome === 'gone') await sessions.unsubscribe(key, connection).catch(() => {});
      if (outcome !== 'sent') return [connection];
    }
    return [];
  };
  const logged = log.append(key, [frame]).catch(() => {});
  const [lost] = await Promise.all([Promise.all(subscribers.map(push)), logged]);
  return lost.flat();
}

/** Reports the progress of one call while its worker runs: one report at a time, and then the newest of those that came meanwhile. */
export interface TellerBeside {
  tell(progress: CallProgress): void;
  /** The subscribers to tell from now on. */
  subscribers(connectionIds: readonly string[]): void;
  /** Resolves when the last report is sent. */
  close(): Promise<void>;
}

/** @param view the session as its call has found it: the batch is open, and no step runs until it is closed */
export function tellerBeside({ session, fence }: SessionView, io: BesidePorts): TellerBeside {
  let audience = fence.subscribers;
  let told = 0;
  let newest: CallProgress | undefined;
  let telling: Promise<void> | undefined;
  const lost = new Set<string>();
  const closing = new AbortController();

  const tellAll = async () => {
    for (let value = newest; value; value = newest) {
      newest = undefined;
      const frame = frameBeside(session, value, io.clock.now(), told);
      if (!frame) break;
      told = frame.seq;
      const present = audience.filter((connection) => !lost.has(connection));
      for (const connection of await tellBeside(session.key, present, frame, io)) lost.add(connection);
      await io.clock.sleep(PAUSE_MS, closing.signal);
    }
    telling = undefined;
  };
  return {
    tell(progress) {
      if (closing.signal.aborted) return;
      newest = progress;
      telling ??= Promise.resolve().then(tellAll);
    },
    subscribers(connectionIds) {
      audience = connectionIds;
    },
    async close() {
      closing.abort('closed');
      await telling;
    },
  };
}
