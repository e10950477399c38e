import type { Frame } from '../contract/events.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Ports } from './ports.ts';
import { epochStart } from './stream.ts';

/**
 * Frames after a client's cursor: the log's, and those of the last commit, which the log may not have yet. A client
 * that asks until nothing comes has missed nothing and seen nothing twice.
 *
 * @returns undefined when there is no such session
 */
export async function catchUp(
  key: SessionKey,
  after: number,
  limit: number,
  io: Pick<Ports, 'sessions' | 'log'>,
): Promise<Frame[] | undefined> {
  const view = await io.sessions.read(key);
  if (!view) return undefined;
  const logged = await io.log.read(key, after, limit);
  if (logged.length >= limit) return withoutLate(logged);
  const known = new Set(logged.map(({ seq }) => seq));
  const tail = view.tail.filter(({ seq }) => seq > after && !known.has(seq));
  return withoutLate([...logged, ...tail].sort((a, b) => a.seq - b.seq)).slice(0, limit);
}

/**
 * Leaves out what a dead attempt logged after the next owner had looked: nobody has closed what it opened there. A
 * page that ends right before the takeover still has it; the snapshot that follows puts clients right.
 */
function withoutLate(frames: readonly Frame[]): Frame[] {
  const late = frames.flatMap(({ seq, event }) =>
    event.type === 'CUSTOM' && event.name === 'steploop.recovered'
      ? [{ above: event.value.upTo, below: epochStart(seq) }]
      : [],
  );
  return frames.filter(({ seq }) => !late.some(({ above, below }) => seq > above && seq < below));
}
