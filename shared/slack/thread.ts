/**
 * The state of a session's thread, and the next move to show the rest. Pure: {@link nextMove} compares the story in the
 * event log with what was posted so far and names one move; {@link moved} is the memory after it. The shell
 * (`follow.ts`) carries moves out, one at a time.
 *
 * T1. A run has one status message (with the Stop button while it runs), one message or more for each text of the
 *     assistant, and one for each request to a person.
 * T2. Before a move that makes a new message, the memory says so (`pending`); afterwards it has the message's `ts`. A
 *     delivery that finds `pending` looks for the message before it posts one (`follow.ts`): nothing is posted twice.
 * T3. A stream can only be appended to. So a stream is stopped and then rewritten by `chat.update`, which is the same
 *     however often it is done, if its text changes otherwise (an attempt was retracted), if Slack has closed it, or if
 *     it is unknown whether its last append arrived.
 * T4. A move that Slack refuses is not done (`refusals.ts`): it is retried, or its text goes into another message, or
 *     it is marked as missing, and then the status says so. A run counts as shown when all of this holds for all of it,
 *     and not before.
 */

import { defined } from '../agent/plain/defined.ts';
import { own } from '../agent/plain/merge.ts';
import * as blocks from './blocks.ts';
import { nextCards } from './cards.ts';
import { missingFiles, nextFile } from './files-out.ts';
import { digest, nextOfTexts, UPDATE_MS } from './parts.ts';
import type { Becomes, Move, OpenAsk, Pace, Part, Thread } from './remembered.ts';
import type { Story } from './story.ts';

/**
 * Messages with buttons that are remembered until they are answered; older ones keep their buttons, which tell a user
 * who clicks.
 */
const MAX_OPEN = 20;
/** Characters of such a message that are remembered, so that all of them fit into one item. */
const KEPT = 3_000;

/** The next move so that the thread shows the story. Called again after each move, with the new memory. */
export function nextMove(story: Story, thread: Thread, pace: Pace): Move {
  if (thread.runId !== story.runId) return nextMove(story, beginRun(thread, story), pace);
  return (
    firstStatus(story, thread) ??
    nextCards(story, thread, pace) ??
    nextOfTexts(story, thread, pace) ??
    nextFile(story, thread) ??
    nextAsk(story, thread) ??
    nextStatus(story, thread, pace) ??
    (story.endSeq === undefined ? { kind: 'wait', ms: UPDATE_MS } : { kind: 'told', endSeq: story.endSeq })
  );
}

/**
 * Removes the buttons from the first message whose question has its answer.
 *
 * @param outcomes the outcomes of asks, by id, in mrkdwn
 * @param goesOn the session has gone on: what it had asked before is answered
 * @param asked ids that it still asks
 */
export function nextSettled(
  { open }: Thread,
  outcomes: Readonly<Record<string, string>>,
  goesOn: boolean,
  asked: readonly string[] = [],
): Extract<Move, { kind: 'update' }> | undefined {
  const ask = open.find(({ id }) => own(outcomes, id) || (goesOn && !asked.includes(id)));
  if (!ask) return undefined;
  const message = blocks.settledAsk(
    ask.message,
    ask.reason ?? 'approval',
    own(outcomes, ask.id) ?? 'Answered.',
  );
  return { kind: 'update', ts: ask.ts, message, becomes: { kind: 'settled', id: ask.id } };
}

/** The memory when a run begins: earlier asks have their answers now. */
export function beginRun(thread: Thread, { runId }: Story): Thread {
  if (thread.runId === runId) return thread;
  const { streams, edits, rating, taskCards, markdown, files, open, unsure, newest } = thread;
  return {
    streams: streams === 'not_now' ? 'yes' : streams,
    ...defined({ edits, rating, taskCards, markdown, files }),
    ...(newest && { newest }),
    open,
    ...(unsure && { unsure }),
    runId,
    parts: [],
    asks: {},
  };
}

/** The memory after a move. `ts` is the new message's, or undefined when Slack does not accept it. */
export function moved(thread: Thread, story: Story, move: Move, ts?: string): Thread {
  const { refused: _, ...before } = beginRun(thread, story);
  switch (move.kind) {
    case 'post':
    case 'start':
      return become(withoutPending(before), move.becomes, ts);
    case 'update':
      return become(before, move.becomes, ts);
    case 'append':
    case 'stop':
      return { ...before, parts: before.parts.map((part, i) => (i === move.at ? move.part : part)) };
    case 'told': {
      const asked = story.ending?.kind === 'waiting' ? story.ending.asks : [];
      const open = asked.flatMap(({ id, message, reason }): OpenAsk[] => {
        const posted = own(before.asks, id);
        return posted?.ts ? [{ id, ts: posted.ts, message: firstLines(message), reason }] : [];
      });
      return {
        streams: before.streams,
        ...defined({
          edits: before.edits,
          rating: before.rating,
          taskCards: before.taskCards,
          markdown: before.markdown,
          files: before.files,
        }),
        ...(before.newest && { newest: before.newest }),
        parts: [],
        asks: {},
        open: [...before.open, ...open].slice(-MAX_OPEN),
      };
    }
    case 'startCards':
      return become(withoutPending(before), { kind: 'cards', cards: move.cards }, ts);
    case 'appendCards':
    case 'stopCards':
      return { ...before, cards: move.cards };
    case 'share':
    case 'wait':
      return before;
    default:
      return move satisfies never;
  }
}

/** Whole lines, and a note if some are left out. */
function firstLines(message: string): string {
  if (message.length <= KEPT) return message;
  const end = message.lastIndexOf('\n', KEPT);
  return `${message.slice(0, end < 0 ? KEPT : end).toWellFormed()}\n(more was shown when it was asked)`;
}

/** The memory once a message exists that was being posted, also when it was found in the thread later. */
export function become(before: Thread, becomes: Becomes, ts: string | undefined): Thread {
  const isNewer = ts !== undefined && Number(ts) > Number(before.newest ?? 0);
  const thread = isNewer ? { ...before, newest: ts } : before;
  switch (becomes.kind) {
    case 'status':
      return { ...thread, status: { ts, shown: becomes.shown } };
    case 'ask':
      return { ...thread, asks: { ...thread.asks, [becomes.id]: { ts, shown: becomes.shown } } };
    case 'cards':
      return { ...thread, cards: { ...becomes.cards, ...defined({ ts }) } };
    case 'settled':
      return { ...thread, open: thread.open.filter(({ id }) => id !== becomes.id) };
    case 'part': {
      const part: Part = { ...becomes.part, ts };
      const { at } = becomes;
      return { ...thread, parts: at === undefined ? [...thread.parts, part] : thread.parts.with(at, part) };
    }
    default:
      return becomes satisfies never;
  }
}

export const withoutPending = ({ pending: _, ...thread }: Thread): Thread => thread;

/** After a delivery that may have died in the middle of an append: its streams get no further appends. */
export function distrusted(thread: Thread): { thread: Thread; stop: readonly string[] } {
  const stop = thread.parts.flatMap(({ mode, ts }) => (mode === 'stream' && ts ? [ts] : []));
  const { unsure: _, ...rest } = thread;
  const parts = thread.parts.map((part): Part => (part.mode === 'stream' ? ended(part) : part));
  return { thread: { ...rest, parts }, stop };
}

/** A stream that has ended in an unknown state: it must be rewritten. */
export const ended = (part: Part): Part => ({ ...part, mode: 'ended', stale: true });

/** A run is not over while something is left to show: one that has ended meanwhile is shown as working. */
function firstStatus(story: Story, thread: Thread): Move | undefined {
  if (thread.status || isOnlyAsking(story)) return undefined;
  const message = blocks.status(story.said.length > 0 ? { ...story, ending: undefined } : story);
  const becomes: Becomes = { kind: 'status', shown: digest(message) };
  return { kind: 'post', slot: `${story.runId}/status`, message, becomes };
}

/** A run that went on only to ask what another session asks: the request says all. */
const isOnlyAsking = ({ said, calls, ending }: Story): boolean =>
  said.length === 0 &&
  calls === 0 &&
  ending?.kind === 'waiting' &&
  ending.asks.some(({ reason }) => reason === 'child');

/**
 * A status that Slack does not change is posted again when the run is over. One that a person has deleted is left
 * alone, unless it reports something that the thread does not show otherwise.
 */
function nextStatus(story: Story, thread: Thread, { now, updatedAt }: Pace): Move | undefined {
  const { status } = thread;
  const missing = missingOf(story, thread);
  const message = blocks.status(story, missing);
  const becomes: Becomes = { kind: 'status', shown: digest(message) };
  if (!status || status.shown === becomes.shown || status.unsent) return undefined;
  if (status.ts && !status.closed) {
    if (story.endSeq === undefined && now - updatedAt < UPDATE_MS) return undefined;
    return { kind: 'update', ts: status.ts, message, becomes };
  }
  if (!story.ending || !(status.closed || missing)) return undefined;
  return { kind: 'post', slot: `${story.runId}/status/end`, message, becomes };
}

/** The parts of the run that Slack refused on every try. */
function missingOf(story: Story, thread: Thread): blocks.Missing | undefined {
  const { parts, asks } = thread;
  const lostFiles = missingFiles(story, thread);
  const lostParts = parts.filter(({ unsent }) => unsent);
  const lostAsks = Object.values(asks).filter(({ unsent }) => unsent);
  const error = [...lostParts, ...lostAsks][0]?.unsent ?? lostFiles?.error;
  if (error === undefined) return undefined;
  const characters = lostParts.reduce((sum, { from, sent }) => sum + sent - from, 0);
  return { characters, questions: lostAsks.length, files: lostFiles?.count ?? 0, error };
}

/** A question in as many messages as it takes: the last one has the buttons, and is the one that is remembered. */
function nextAsk({ ending, at }: Story, thread: Thread): Move | undefined {
  if (ending?.kind !== 'waiting') return undefined;
  for (const ask of ending.asks) {
    // A run that waits on for something else asks again for what it has asked before.
    if (thread.open.some(({ id }) => id === ask.id)) continue;
    const before = blocks.askBefore(ask).map((message, i) => ({ id: `${ask.id}/${i}`, message }));
    const next = [...before, { id: ask.id, message: blocks.ask(ask, at) }].find(
      ({ id }) => !own(thread.asks, id),
    );
    if (!next) continue;
    const becomes: Becomes = { kind: 'ask', id: next.id, shown: digest(next.message) };
    return { kind: 'post', slot: `ask/${next.id}`, message: next.message, becomes };
  }
  return undefined;
}
