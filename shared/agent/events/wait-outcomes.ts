import type { Decided } from '../../contract/events.ts';
import type { SessionKey } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import { own } from '../plain/merge.ts';
import type { Ports } from '../ports/ports.ts';
import { catchUp } from './catch-up.ts';
import { epochStart, seqBefore } from './stream.ts';

/** The outcome of one wait, and the person who decided it. */
export interface Outcome extends Pick<Decided, 'outcome' | 'by' | 'changes'> {
  /** Epoch ms of the decision; absent once its batch is closed. */
  readonly at?: number;
}

/** How many steps of the log are searched. Clients ask soon after a decision. */
const STEPS = 20;
/** Frames read at a time. */
const PAGE = 1_000;

/**
 * The outcomes of waits, by their ids: from decisions in HEAD, and, if the batch was closed within the last steps, from the
 * log. Undecided and older waits are absent.
 */
export async function outcomesOf(
  key: SessionKey,
  ids: readonly string[],
  io: Pick<Ports, 'sessions' | 'log'>,
): Promise<Readonly<Record<string, Outcome>>> {
  const view = await io.sessions.read(key);
  if (!view) return {};
  const { session, fence } = view;
  const found = new Map<string, Outcome>();
  for (const id of ids) {
    const decision = own(fence.decisions, id);
    if (!decision) continue;
    const isQuestion = session.batch?.waits.find((wait) => wait.id === id)?.kind === 'question';
    const yes = isQuestion ? 'answered' : 'approved';
    const { approved, by, at, changes } = decision;
    const some = changes && { changes: [...changes] };
    found.set(id, { outcome: approved ? yes : 'denied', by, at, ...some });
  }
  const { waits = [], asks = [] } = session.batch ?? {};
  const waited = new Set([...waits, ...asks].map(({ id }) => id));
  const missing = new Set(ids.filter((id) => !found.has(id) && !waited.has(id)));
  let after = Math.max(0, epochStart(session.eventSeq) - seqBefore(STEPS));
  while (missing.size > 0) {
    const frames = (await catchUp(key, after, PAGE, io)) ?? [];
    for (const { event } of frames) {
      if (event.type !== 'CUSTOM' || event.name !== 'steploop.decided' || !missing.has(event.value.id))
        continue;
      const { id, outcome, by, changes } = event.value;
      missing.delete(id);
      found.set(id, { outcome, ...defined({ by, changes }) });
    }
    if (frames.length < PAGE) break;
    after = frames.at(-1)?.seq ?? after;
  }
  return Object.fromEntries(found);
}
