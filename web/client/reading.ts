/**
 * What one reader makes of a session's frames: in order, as a strict AG-UI line, whole. Pure; whoever drives it does the
 * reading over HTTP (`follow.ts`).
 *
 * A gap that cannot be filled leaves a hole in whatever message was under way. The messages are shown as they are then,
 * and once more when the step in which the gap was has ended, since its message is committed then.
 */

import type { AgUiEvent, Frame, SnapshotMessage } from '../../shared/contract/events.ts';
import { type StrictLine, strictLine } from '../../shared/contract/strict.ts';
import { type Order, skipGap, startAt, take } from './order.ts';

/** What is to be done next. */
export type Next =
  /** Tell these events: what the frame means. */
  | { readonly kind: 'tell'; readonly frame: Frame; readonly events: readonly AgUiEvent[] }
  /** Read the messages as they are now, and hand them to {@link Reading.show}. */
  | { readonly kind: 'read_messages' };

export interface Reading {
  readonly order: Order;
  /** Seq of the last frame told: the cursor. */
  readonly told: number;
  /** A run goes on, as far as was told. */
  readonly running: boolean;
  /** What to tell before anything else. */
  begin(): readonly AgUiEvent[];
  take(frames: readonly Frame[]): void;
  /** Gives the first gap up. */
  skip(): void;
  next(): Next | undefined;
  /** The messages that were read: what to tell for them. */
  show(messages: SnapshotMessage[]): readonly AgUiEvent[];
}

export interface ReadingOptions {
  readonly sessionId: string;
  /** Cursor to begin after. */
  readonly after: number;
  /** The run that goes on there, if the caller knows. */
  readonly runId?: string;
  /** The messages up to there, for a listener who has nothing yet. */
  readonly messages?: SnapshotMessage[];
}

export function startReading({ sessionId, after, ...joined }: ReadingOptions): Reading {
  const line: StrictLine = strictLine({ threadId: sessionId, ...joined });
  let order = startAt(after);
  let told = after;
  const queue: Frame[] = [];
  let holed = false;
  let wanted = false;

  const apply = (next: { order: Order; deliver: Frame[] }) => {
    order = next.order;
    queue.push(...next.deliver);
  };

  return {
    get order() {
      return order;
    },
    get told() {
      return told;
    },
    get running() {
      return line.running;
    },
    begin: line.begin,
    take: (frames) => apply(take(order, frames)),
    skip() {
      apply(skipGap(order));
      holed = true;
      wanted = true;
    },
    next() {
      if (wanted) return { kind: 'read_messages' };
      const [frame] = queue;
      if (!frame) return undefined;
      if (holed && endsStep(frame.event)) {
        holed = false;
        wanted = true;
        return { kind: 'read_messages' };
      }
      queue.shift();
      told = frame.seq;
      wanted = frame.event.type === 'CUSTOM' && frame.event.name === 'steploop.snapshot_needed';
      return { kind: 'tell', frame, events: line.next(frame) };
    },
    show(messages) {
      wanted = false;
      return line.snapshot(messages);
    },
  };
}

/** What is told of a step's end comes after its commit, or after its death. */
const endsStep = ({ type }: AgUiEvent): boolean =>
  type === 'STEP_FINISHED' || type === 'RUN_FINISHED' || type === 'RUN_ERROR';
