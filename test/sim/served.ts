import type { Failure, Reply } from '../../shared/agent/session/reply.ts';
import type { Made, Slot, Stop } from '../../shared/agent/session/slots.ts';
import type { ServedAssessment } from './assessments.ts';
import type { ServedSummary } from './summaries.ts';

/**
 * Everything that the servers of a simulation have served to one session. They keep their own books: nothing here is
 * read from a slot.
 */
export interface Served {
  /** Replies of the model, by the id of their message. */
  readonly replies: Map<string, ServedReply>;
  /** The reply in which the model asked for a call, by the call's id. */
  readonly calls: Map<string, ServedReply>;
  /** Summaries of the model, by the id of their message. */
  readonly summaries: Map<string, ServedSummary>;
  /** Assessments of a run's progress, by the id of their message. */
  readonly assessments: Map<string, ServedAssessment>;
  readonly runs: Map<string, RunBooks>;
  readonly total: Account;
}

export interface ServedReply {
  readonly runId: string;
  readonly stop: Stop;
  /** Content blocks as JSON. */
  readonly content: string;
  readonly text: string;
  /** Ids of the calls, in order. */
  readonly calls: readonly string[];
  readonly input: number;
  readonly output: number;
  /** Tokens that dead attempts at this step had sent to the model. */
  readonly lost: number;
  /** Whether the model was told to answer with text only, so that its tool calls are in vain. */
  readonly textOnly: boolean;
  /** Model, system and tools of the request. */
  readonly pinned: string;
}

/** Tokens. Their cost follows from them ({@link usdOf}). */
export interface Account {
  input: number;
  output: number;
}

/** One run, in the records of its servers. */
export interface RunBooks extends Account {
  /** Number of replies that were kept. */
  steps: number;
  toolCalls: number;
  /** The last reply that was kept, and the server's last answer of any kind. */
  kept: ServedReply | undefined;
  last: ServedReply | Failure | undefined;
  /** Whether one of its calls has not done its work, so that guards may react. */
  odd: boolean;
}

export const newServed = (): Served => ({
  replies: new Map(),
  calls: new Map(),
  summaries: new Map(),
  assessments: new Map(),
  runs: new Map(),
  total: { input: 0, output: 0 },
});

export function runBooks({ runs }: Served, runId: string): RunBooks {
  const known = runs.get(runId) ?? newBooks();
  runs.set(runId, known);
  return known;
}

const newBooks = (): RunBooks => ({
  input: 0,
  output: 0,
  steps: 0,
  toolCalls: 0,
  kept: undefined,
  last: undefined,
  odd: false,
});

/** Maximum output tokens of one reply of the simulated agent. */
export const MAX_REPLY_TOKENS = 8192;

/** At the prices of the simulated agent (`tools.ts`): $1 and $5 per million tokens. */
export const usdOf = ({ input, output }: Account): number => (input + 5 * output) / 1e6;

/** Records an answer of the model's server. */
export function noteServed(
  served: Served,
  runId: string,
  messageId: string,
  reply: Reply,
  { lost, textOnly, pinned }: Pick<ServedReply, 'lost' | 'textOnly' | 'pinned'>,
): void {
  const noted: ServedReply = {
    runId,
    stop: reply.stop,
    content: JSON.stringify(reply.content),
    text: reply.content.map(({ type, text }) => (type === 'text' ? String(text) : '')).join(''),
    calls: reply.calls.map(({ id }) => id),
    input: reply.usage.input,
    output: reply.usage.output,
    lost,
    textOnly,
    pinned,
  };
  served.replies.set(messageId, noted);
  for (const id of noted.calls) served.calls.set(id, noted);
  runBooks(served, runId).last = noted;
}

/** Records the calls that the system makes for a plan as if they had been served. They cost nothing. */
export function notePlan(
  served: Served,
  runId: string,
  { messageId, content }: Pick<Made, 'messageId' | 'content'>,
): void {
  const calls = content.map(({ id }) => String(id));
  const noted: ServedReply = {
    ...{ runId, stop: 'tool_use', content: JSON.stringify(content), text: '', calls },
    ...{ input: 0, output: 0, lost: 0, textOnly: false, pinned: '' },
  };
  served.replies.set(messageId, noted);
  for (const id of calls) served.calls.set(id, noted);
}

/**
 * Books a committed slot. From the slot itself it only takes which reply or summary it keeps, or that it keeps none.
 * @param lost the committing step's charges for dead attempts, if it has no reply
 * @param used the usage of its own call before it broke, if it did
 */
export function book(
  served: Served,
  slot: Slot,
  lost: number,
  used: Account = { input: 0, output: 0 },
): void {
  const books = runBooks(served, slot.runId);
  // The system's own calls cost nothing, and are not counted. Attempts that died at them may have asked the model.
  if (slot.made) {
    const died = (slot.kind === 'model' && slot.lost?.input) || 0;
    for (const account of [books, served.total]) account.input += died;
    return;
  }
  if (slot.kind === 'tools') {
    books.toolCalls += served.replies.get(slot.replyTo)?.calls.length ?? 0;
    if (slot.results.some(({ outcome }) => outcome !== 'ok')) books.odd = true;
    return;
  }
  const reply = slot.reply && served.replies.get(slot.reply.messageId);
  if (reply) {
    books.steps += 1;
    books.kept = reply;
  }
  // Neither a fold nor an assessment is a step of its run.
  const sold =
    reply ??
    served.summaries.get(slot.fold?.summary?.messageId ?? '') ??
    served.assessments.get(slot.assessment?.bought?.messageId ?? '');
  for (const account of [books, served.total]) {
    account.input += sold ? sold.input + sold.lost : lost + used.input;
    account.output += sold ? sold.output : used.output;
  }
}
