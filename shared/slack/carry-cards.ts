import { isLost, type Recipient, type SlackApi, type Target } from './api.ts';
import { endedCards } from './cards.ts';
import type { FollowEnd } from './following.ts';
import { isGone } from './refusals.ts';
import type { Cards, Move, Thread } from './remembered.ts';
import { withoutPending } from './thread.ts';

type CardsMove = Extract<Move, { kind: 'startCards' | 'appendCards' | 'stopCards' }>;

interface Carried {
  readonly thread: Thread;
  readonly end?: Exclude<FollowEnd, { kind: 'quiet' }>;
}

interface CardPorts {
  readonly api: SlackApi;
  readonly now: () => number;
  /** Saves the memory. */
  readonly keep: (thread: Thread) => Promise<Carried>;
  /** The memory after the move. `ts` is a new message's. */
  readonly moved: (thread: Thread, ts?: string) => Thread;
}

const AGAIN_MS = 5_000;
const again = (thread: Thread, ms = AGAIN_MS): Carried => ({ thread, end: { kind: 'again', ms } });
const withCards = (thread: Thread, cards: Cards): Thread => ({ ...thread, cards });

/** Carries out a move of the stream of cards, and remembers it. What Slack refuses becomes a message that is rewritten. */
export async function carryCards(
  move: CardsMove,
  thread: Thread,
  target: Target,
  recipient: Recipient,
  { api, now, keep, moved }: CardPorts,
): Promise<Carried> {
  const { channel } = target;
  const refused = (error: string, before: Thread, cards: Cards): Carried | Promise<Carried> => {
    if (isLost(error)) return { thread: before, end: { kind: 'lost', error } };
    return keep(withCards(before, isGone(error) ? { ...cards, mode: 'off' } : endedCards(cards)));
  };
  switch (move.kind) {
    case 'startCards': {
      const becomes = { kind: 'cards', cards: move.cards } as const;
      const pending = { slot: move.slot, stream: true, since: now(), becomes };
      const announced = await keep({ ...thread, pending });
      if (announced.end) return announced;
      const answer = await api.startCards(target, recipient, move.chunks);
      const before = withoutPending(announced.thread);
      if (answer.kind === 'ok') return keep(moved(announced.thread, answer.value.ts));
      // The message may have been posted: the next delivery looks for it.
      if (answer.kind === 'unknown') return again(announced.thread);
      if (answer.kind === 'limited') return keep(withCards(before, endedCards(move.cards)));
      return refused(answer.error, before, move.cards);
    }
    case 'appendCards':
    case 'stopCards': {
      const isLast = move.kind === 'stopCards';
      const answer = isLast
        ? await api.stopCards(channel, move.ts, move.chunks)
        : await api.appendCards(channel, move.ts, move.chunks);
      switch (answer.kind) {
        case 'ok':
          // A delivery that dies sends the latest cards again, so an append needs no write.
          return isLast ? keep(moved(thread)) : { thread: moved(thread) };
        case 'limited':
          return again(thread, answer.retryAfterMs);
        // An update of a card may come twice. A stream that may be over is rewritten.
        case 'unknown':
          return isLast ? keep(withCards(thread, endedCards(move.cards))) : again(thread);
        case 'refused':
          if (!isLast && !isLost(answer.error) && !isGone(answer.error))
            await api.stopCards(channel, move.ts, []);
          return refused(answer.error, thread, move.cards);
        default:
          return answer satisfies never;
      }
    }
    default:
      return move satisfies never;
  }
}
