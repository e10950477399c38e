import { toSnapshot } from '../../shared/agent/view.ts';
import type { AgUiEvent, Frame } from '../../shared/contract/events.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { type Order, skipGap, startAt, take } from '../../web/client/order.ts';
import { emptyView, fold, type View } from '../../web/client/view.ts';
import { createOrderCheck } from './agui.ts';
import { viewChecks } from './invariants/views.ts';
import { check } from './ledger.ts';
import type { World } from './world.ts';

/** What one client has assembled of a session: the project's own client code, and a check of every event. */
export interface Viewer {
  readonly key: SessionKey;
  readonly name: string;
  readonly order: Order;
  readonly view: View;
  /** Since when it could not miss anything; it has skipped a gap otherwise. */
  readonly whole: boolean;
  /** It is connected and subscribed, and no push to it has failed: it hears of everything without asking. */
  listens: boolean;
  take(frames: readonly Frame[]): void;
  /** Gives a gap up and shows the messages as they are now, as `web/client/follow.ts` does. */
  skip(): void;
}

export function createViewer(world: World, key: SessionKey, name: string): Viewer {
  let order = startAt(0);
  let view = emptyView;
  let whole = true;
  const verify = createOrderCheck();

  const show = (event: AgUiEvent, seq: number) => {
    view = fold(view, event);
    if (whole) {
      const wrong = verify.next(event, seq);
      if (wrong) world.ledger.violate('21 events are in AG-UI order', `${name}: ${wrong}`);
    }
    check(world.ledger, viewChecks, {
      name,
      whole,
      event,
      seq,
      view,
      spoken: world.ledger.spoken,
      facts: world.ledger.facts(key),
    });
  };
  const apply = (next: { order: Order; deliver: Frame[] }) => {
    let { last } = order;
    order = next.order;
    for (const { event, seq, prev } of next.deliver) {
      if (prev < last && whole) {
        const wrong = verify.rewind(prev);
        if (wrong) world.ledger.violate('24 only a commit ends a run', `${name}: ${wrong}`);
      }
      show(event, seq);
      last = seq;
    }
  };
  const committed = () => {
    const pk = `${key.tenant}#${key.sessionId}`;
    const version = world.memory.table.heads.get(pk)?.session.version ?? 0;
    const stored = [...(world.memory.table.slots.get(pk)?.values() ?? [])].map(({ slot }) => slot);
    return stored.filter(({ n }) => n < version).sort((a, b) => a.n - b.n);
  };

  return {
    key,
    name,
    listens: false,
    get order() {
      return order;
    },
    get view() {
      return view;
    },
    get whole() {
      return whole;
    },
    take: (frames) => apply(take(order, frames)),
    skip() {
      whole = false;
      apply(skipGap(order));
      show({ type: 'MESSAGES_SNAPSHOT', messages: toSnapshot(committed()) }, order.last);
    },
  };
}
