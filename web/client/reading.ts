/**
 * How one reader processes a session's frames: in order, as a complete, strict AG-UI sequence. Pure; its driver reads
 * over HTTP (`follow.ts`).
 *
 * A gap that cannot be filled leaves a hole in the message under way. Then the messages are shown as they are, and once
 * more when the step with the gap has ended, since its message is committed then.
 */

import type { AgUiEvent, Frame, SnapshotMessage } from '../../shared/contract/events.ts';
import { type StrictLine, strictLine } from '../../shared/contract/strict.ts';
import { type Order, skipGap, startAt, take } from './order.ts';

/** The next action. */
export type Next =
  /** Deliver these events: the meaning of the frame. */
  | { readonly kind: 'tell'; readonly frame: Frame; readonly events: readonly AgUiEvent[] }
  /** Read the current messages, and pass them to {@link Reading.show}. */
  | { readonly kind: 'read_messages' };

export interface Reading {
  readonly order: Order;
  /** Seq of the last frame delivered: the cursor. */
  readonly told: number;
  /** Whether a run is in progress, according to the delivered events. */
  readonly running: boolean;
  /** The events to deliver first. */
  begin(): readonly AgUiEvent[];
  take(frames: readonly Frame[]): void;
  /** Gives up the first gap. */
  skip(): void;
  next(): Next | undefined;
  /** Takes the messages that were read, and returns the events to deliver for them. */
  show(messages: SnapshotMessage[]): readonly AgUiEvent[];
}

export interface ReadingOptions {
  readonly sessionId: string;
  /** Cursor after which to begin. */
  readonly after: number;
  /** The run in progress at that point, if the caller knows it. */
  readonly runId?: string;
  /** The messages up to that point, for a listener that has none yet. */
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

/** These events come after the step's commit, or after its death. */
const endsStep = ({ type }: AgUiEvent): boolean =>
  type === 'STEP_FINISHED' || type === 'RUN_FINISHED' || type === 'RUN_ERROR';
