import type { Frame } from '../../contract/events.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import { withoutLate } from './late-frames.ts';
import { epochStart } from './stream.ts';

/**
 * Frames after a client's cursor: those of the log, and those of the last commit, which the log may not have yet. A client that
 * asks until it gets fewer than `limit` has missed nothing and seen nothing twice.
 *
 * @returns undefined if there is no such session
 */
export async function catchUp(
  key: SessionKey,
  after: number,
  limit: number,
  io: Pick<Ports, 'sessions' | 'log'>,
): Promise<Frame[] | undefined> {
  const view = await io.sessions.read(key);
  if (!view) return undefined;
  const read: Frame[] = [];
  for (let cursor = after; ; cursor = read.at(-1)?.seq ?? cursor) {
    const page = await io.log.read(key, cursor, limit);
    read.push(...page);
    if (page.length < limit) {
      const known = new Set(read.map(({ seq }) => seq));
      read.push(...view.tail.filter(({ seq }) => seq > after && !known.has(seq)));
      read.sort((a, b) => a.seq - b.seq);
      return withoutLate(read).slice(0, limit);
    }
    const frames = withoutLate(read);
    const until = frames[limit - 1];
    if (until && knowsWhatFollows(read, until)) return frames.slice(0, limit);
  }
}

/** Whether a takeover after `until` would have been read: it is logged before its step starts. */
function knowsWhatFollows(read: readonly Frame[], until: Frame): boolean {
  return read.some(
    ({ seq, event }) => event.type === 'STEP_STARTED' && epochStart(seq) > epochStart(until.seq),
  );
}
