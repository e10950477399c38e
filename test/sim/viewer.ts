import { toSnapshot } from '../../shared/agent/events/snapshot.ts';
import type { AgUiEvent, Frame } from '../../shared/contract/events.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { isProgress } from '../../shared/contract/strict.ts';
import type { Order } from '../../web/client/order.ts';
import { startReading } from '../../web/client/reading.ts';
import { emptyView, fold, type View } from '../../web/client/view.ts';
import { createOrderCheck } from './agui.ts';
import { committedSlots } from './forkers.ts';
import { createResultCheck, frameChecks, viewChecks } from './invariants/views.ts';
import { check } from './ledger.ts';
import type { World } from './world.ts';

/** One client's state of a session: the project's own client code, and a check of every event. */
export interface Viewer {
  readonly key: SessionKey;
  readonly name: string;
  readonly order: Order;
  readonly view: View;
  /** Everything it was told, as an AG-UI client would see it. */
  readonly told: readonly AgUiEvent[];
  /** Whether it could not have missed anything: it has not skipped a gap. */
  readonly whole: boolean;
  /** Whether it is connected and subscribed and no push to it has failed, so that it gets everything without asking. */
  listens: boolean;
  take(frames: readonly Frame[]): void;
  /** Gives up on a gap and shows the current messages, as `web/client/follow.ts` does. */
  skip(): void;
}

export function createViewer(world: World, key: SessionKey, name: string, after = 0): Viewer {
  const reading = startReading({ sessionId: key.sessionId, after });
  const told: AgUiEvent[] = [];
  let view = emptyView;
  let whole = after === 0;
  let last = after;
  const results = createResultCheck();
  /**
   * Checks the server's events as they come, and those that a client is told, which must be in order whatever is lost.
   */
  const said = createOrderCheck();
  /** Seqs of the line that `said` has followed, without those taken back. */
  const line = [after];
  const strict = createOrderCheck();

  const hear = ({ event, seq, prev }: Frame) => {
    if (prev < last && whole) takeBack(prev);
    last = seq;
    line.push(seq);
    check(world.ledger, frameChecks, { name, event, seq, facts: world.ledger.facts(key) });
    // A fork's first event is sent before it has a run. Progress of a call may be sent between two runs, next to the
    // line that clients are told.
    const wrong = whole && !isProgress(event) && !isGreeting(event) && said.next(event, seq);
    if (wrong) world.ledger.violate('21 events are in AG-UI order', `${name}: ${wrong}`);
    const twice = whole && results(event);
    if (twice) world.ledger.violate('21 a result is told once', `${name}: ${twice}`);
  };
  /**
   * Events after `prev` did not happen. This client may never have received that frame: a frozen attempt logged it
   * after its successor had looked, and the next owner saw it before the successor's own frames.
   */
  const takeBack = (prev: number) => {
    const { log } = world.ledger.facts(key);
    const missed: Frame[] = [];
    for (let frame = log.get(prev); frame && !line.includes(frame.seq); frame = log.get(frame.prev))
      missed.unshift(frame);
    const known = missed[0]?.prev ?? prev;
    while ((line.at(-1) ?? 0) > known) line.pop();
    const wrong = said.rewind(known);
    if (wrong) world.ledger.violate('24 only a commit ends a run', `${name}: ${wrong}`);
    for (const { event, seq } of missed) {
      said.next(event, seq);
      line.push(seq);
    }
  };
  const show = (events: readonly AgUiEvent[], seq: number) => {
    for (const event of events) {
      told.push(event);
      view = fold(view, event);
      const wrong = strict.next(event, seq);
      if (wrong) world.ledger.violate('21 a client gets events in AG-UI order', `${name}: ${wrong}`);
      check(world.ledger, viewChecks, {
        name,
        whole,
        event,
        view,
        spoken: world.ledger.spoken,
        facts: world.ledger.facts(key),
      });
    }
  };
  const tell = () => {
    for (let next = reading.next(); next; next = reading.next()) {
      if (next.kind === 'tell') {
        hear(next.frame);
        show(next.events, next.frame.seq);
      } else show(reading.show(toSnapshot(committed())), reading.told);
    }
  };
  const committed = () => {
    const pk = `${key.tenant}#${key.sessionId}`;
    const head = world.memory.table.heads.get(pk);
    return head ? committedSlots(world, head.session) : [];
  };

  return {
    key,
    name,
    told,
    listens: false,
    get order() {
      return reading.order;
    },
    get view() {
      return view;
    },
    get whole() {
      return whole;
    },
    take(frames) {
      reading.take(frames);
      tell();
    },
    skip() {
      whole = false;
      reading.skip();
      tell();
    },
  };
}

/** The event that a fork sends to a client that follows it from its beginning. */
const isGreeting = (event: AgUiEvent): boolean =>
  event.type === 'CUSTOM' && event.name === 'steploop.snapshot_needed' && event.value.why === 'forked';
