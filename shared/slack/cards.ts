/**
 * The message with a run's task cards: {@link nextCards} finds the first difference to the story. Pure.
 *
 * K1. Cards are streamed while the run works. An update of a card names it, so it may be sent twice; only the start of the stream
 *     may not.
 * K2. A stream that is idle, old or refused is over. The message is then rewritten as a plan (docs.slack.dev, "Plan block"), and is one
 *     from the beginning where streams are not allowed.
 * K3. Where Slack takes neither, there are no cards: the status says which tools run.
 */

import { hash } from '../agent/plain/hash.ts';
import { own } from '../agent/plain/merge.ts';
import type { Chunk } from './chunk.ts';
import { escapeMrkdwn } from './escape.ts';
import { clipped } from './kit.ts';
import type { Outgoing } from './outgoing.ts';
import { APPEND_MS, digest, STREAM_IDLE_MS, STREAM_LIFE_MS, UPDATE_MS } from './parts.ts';
import type { Cards, Move, Pace, Thread } from './remembered.ts';
import type { Story } from './story.ts';
import { planTitle } from './story-cards.ts';

/** Name of the plan's title among the cards that were sent. No card has it. */
const PLAN = 'plan';

/** The next move for the cards; undefined if they stand there as they should. */
export function nextCards(story: Story, thread: Thread, pace: Pace): Move | undefined {
  const { cards } = thread;
  if (!story.cards?.length || thread.taskCards === 'never' || cards?.mode === 'off') return undefined;
  const { now } = pace;
  const isOver = story.endSeq !== undefined;
  if (!cards && thread.streams === 'yes' && !isOver) {
    const begun: Cards = { mode: 'stream', sent: sentOf(story), shown: '', since: now, touched: now };
    return { kind: 'startCards', slot: slotOf(story), chunks: chunksOf(story, {}), cards: begun };
  }
  if (cards?.mode === 'stream') return nextOfStream(story, cards, pace);
  // Where messages cannot be changed, the plan is posted when nothing changes any more.
  if (cards?.ts === undefined && thread.edits === 'never' && !isOver) return undefined;
  const message = planOf(story);
  const shown = digest(message);
  if (cards?.shown === shown) return undefined;
  const next: Cards = { ...cards, mode: 'ended', sent: {}, shown, since: now, touched: now };
  const becomes = { kind: 'cards', cards: next } as const;
  if (cards?.ts === undefined) return { kind: 'post', slot: slotOf(story), message, becomes };
  if (!isOver && now - pace.updatedAt < UPDATE_MS) return undefined;
  return { kind: 'update', ts: cards.ts, message, becomes };
}

function nextOfStream(story: Story, cards: Cards, { now }: Pace): Move | undefined {
  const { ts, since, touched, sent } = cards;
  if (ts === undefined) return undefined;
  const chunks = chunksOf(story, sent);
  const next: Cards = { ...cards, sent: sentOf(story), touched: now };
  const isOld = now - touched > STREAM_IDLE_MS || now - since > STREAM_LIFE_MS;
  if (story.endSeq !== undefined || isOld)
    return { kind: 'stopCards', ts, chunks, cards: { ...next, mode: 'ended', shown: digest(planOf(story)) } };
  if (chunks.length === 0 || now - touched < APPEND_MS) return undefined;
  return { kind: 'appendCards', ts, chunks, cards: next };
}

/** The cards that differ from those that were sent. */
function chunksOf({ cards = [], ending }: Story, sent: Cards['sent']): Chunk[] {
  const title = planTitle(ending?.kind);
  return [
    ...(own(sent, PLAN) === title ? [] : [{ type: 'plan_update', title } as const]),
    ...cards
      .filter((card) => own(sent, card.id) !== markOf(card))
      .map(({ id, title, status }) => ({ type: 'task_update', id, title, status }) as const),
  ];
}

const sentOf = ({ cards = [], ending }: Story): Cards['sent'] => ({
  [PLAN]: planTitle(ending?.kind),
  ...Object.fromEntries(cards.map((card) => [card.id, markOf(card)])),
});

const markOf = ({ title, status }: { readonly title: string; readonly status: string }): string =>
  hash(`${status} ${title}`, 6);

/** The cards as one message. */
export function planOf({ cards = [], ending }: Story): Outgoing {
  const title = planTitle(ending?.kind);
  const tasks = cards.map(({ id, title, status }) => ({ task_id: id, title, status }));
  // For notifications, and for readers that show no blocks.
  const text = [title, ...cards.map((card) => escapeMrkdwn(card.title))].join(' · ');
  return { text: clipped(text, 1_000), blocks: [{ type: 'plan', title, tasks }] };
}

/** The memory when a stream is over whose cards may be old: it is rewritten. */
export const endedCards = (cards: Cards): Cards => ({ ...cards, mode: 'ended', shown: '' });

const slotOf = ({ runId }: Story): string => `${runId}/cards`;
