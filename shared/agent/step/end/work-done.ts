/** The work of a session whose task is not completed, for the model that gave the task. */

import type { SessionKey } from '../../../contract/session.ts';
import type { Ports } from '../../ports/ports.ts';
import { textOf } from '../../session/reply.ts';
import { firstSlotOf } from '../../session/run-ids.ts';
import type { Session } from '../../session/session.ts';
import type { Slot } from '../../session/slots.ts';

/** A sentence about the calls of the last run. It begins with a space. */
export async function workDone(
  session: Session,
  sessions: Pick<Ports['sessions'], 'slots'>,
): Promise<string> {
  const done = callsDone(await slotsOfRun(session, LAST_SLOTS, sessions));
  return done.length > 0 ? ` Its calls, which are not undone: ${done.join(', ')}.` : ' It had made no calls.';
}

/** Slots of a run, from its end, that are read for what it has done. */
const LAST_SLOTS = 40;
/** Kinds of calls that are named. */
const MOST_NAMED = 20;

/** The calls of a run by tool and outcome, in the order of their first: `pay ok 2 times`. */
function callsDone(slots: readonly Slot[]): readonly string[] {
  const times = new Map<string, number>();
  for (const { name, outcome } of slots.flatMap((slot) => (slot.kind === 'tools' ? slot.results : []))) {
    const kind = `${name} ${outcome}`;
    times.set(kind, (times.get(kind) ?? 0) + 1);
  }
  const named = [...times].map(([kind, n]) => (n > 1 ? `${kind} ${n} times` : kind));
  const more = named.length - MOST_NAMED;
  return more > 0 ? [...named.slice(0, MOST_NAMED), `${more} more`] : named;
}

/** The committed slots of the last run, the last `most` of them. */
export async function slotsOfRun(
  { key, version, run }: Session,
  most: number,
  sessions: Pick<Ports['sessions'], 'slots'>,
): Promise<readonly Slot[]> {
  const from = Math.max(firstSlotOf(run?.id ?? ''), version - most);
  const stored = await sessions.slots(key, from);
  return stored.flatMap(({ slot }) => (slot.runId === run?.id && slot.n < version ? [slot] : []));
}

/** The last text that the run's model has written. The end of the log is read first. */
export async function lastText(
  session: Session,
  sessions: Pick<Ports['sessions'], 'slots'>,
): Promise<string> {
  for (const most of [4, session.version]) {
    const slots = await slotsOfRun(session, most, sessions);
    const texts = slots.flatMap((slot) =>
      slot.kind === 'model' && slot.reply ? [textOf(slot.reply.content)] : [],
    );
    const text = texts.findLast((one) => one.trim() !== '');
    if (text) return text.toWellFormed();
  }
  return '';
}

/** Characters of the last words of a stopped session that its call repeats. */
const MOST_CHARS = 4_000;

/** The work so far of a session whose answer is no longer waited for, for the model that gave the task. Empty if it has not begun. */
export async function workSoFar(child: SessionKey, { sessions }: Pick<Ports, 'sessions'>): Promise<string> {
  const { session } = (await sessions.read(child)) ?? {};
  if (!session?.run) return '';
  const [done, text] = await Promise.all([workDone(session, sessions), lastText(session, sessions)]);
  return `${done}${text && ` The last that it said:\n${text.slice(0, MOST_CHARS).toWellFormed()}`}`;
}
