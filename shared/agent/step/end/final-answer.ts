import type { RunResult, WrapUpSummary } from '../../../contract/events.ts';
import { isTooDeep } from '../../plain/depth.ts';
import { textOf } from '../../session/reply.ts';
import { runOf } from '../../session/session.ts';
import type { ModelSlot, Slot, Stop, StoredReply } from '../../session/slots.ts';
import { sumsUp } from '../model/model-call.ts';
import type { Step } from '../open/step-context.ts';

/** Characters of a joined answer in the run's result, which is part of HEAD. The messages have all of it. */
const MAX_ANSWER_CHARS = 8_000;
/** Stored entries of each list of a summary, and characters of each. */
const MAX_ENTRIES = 20;
const MAX_ENTRY_CHARS = 300;

/**
 * The whole answer of a run that was cut and continued: the last reply and the cut ones right before it. Each part is stored
 * once, in its own slot. Undefined if the last message is the whole answer.
 */
export function joinedAnswer(history: readonly Slot[], last: ModelSlot): RunResult['answer'] {
  const said = partsOf(history, last);
  if (said.length === 0 || (said.length === 1 && said[0] === last.reply)) return undefined;
  const text = said.map(({ content }) => textOf(content)).join('');
  return {
    messageIds: said.map(({ messageId }) => messageId),
    text: text.slice(0, MAX_ANSWER_CHARS).toWellFormed(),
  };
}

/** Texts that may contain the object that a run answers with: its last reply alone, and that reply joined with the cut ones before it. */
export function answerTexts(history: readonly Slot[], last: ModelSlot): string[] {
  const said = partsOf(history, last).map(({ content }) => textOf(content));
  return [...new Set([textOf(last.reply?.content ?? []), said.join('')])];
}

/** The object in the run's last reply, if the run has to answer with one. */
export function lastObject({
  session,
  history,
  answers,
}: Pick<Step, 'session' | 'history' | 'answers'>): Readonly<Record<string, unknown>> | undefined {
  const last = history.findLast((slot) => slot.kind === 'model' && slot.reply !== undefined);
  if (!answers || last?.kind !== 'model' || last.runId !== runOf(session).id || sumsUp(last.textOnly))
    return undefined;
  const given = answers.read(answerTexts(history, last));
  return given.kind === 'fits' ? given.object : undefined;
}

/** The replies that make up an answer: the last one, and the cut ones right before it, without empty ones. */
function partsOf(history: readonly Slot[], last: ModelSlot): StoredReply[] {
  const parts = [last];
  let next = last;
  for (const slot of history.toReversed()) {
    if (slot.kind !== 'model' || slot.runId !== last.runId || !continues(next)) break;
    if (slot.reply && !cut.has(slot.reply.stop)) break;
    parts.unshift(slot);
    next = slot;
  }
  return parts.flatMap(({ reply }) => (reply && textOf(reply.content) !== '' ? [reply] : []));
}

/** Stop reasons after which the model continues its reply. */
const cut: ReadonlySet<Stop> = new Set(['max_tokens', 'deadline', 'context_limit']);

/** Only internal input stands before it. */
const continues = ({ input }: ModelSlot): boolean => input.every(({ internal }) => internal);

/**
 * The summary of a run that was asked to wrap up, if it has given one.
 *
 * @param slots those of the run, the last one last
 */
export function summaryOf(slots: readonly Slot[], runId: string): WrapUpSummary | undefined {
  const at = slots.findLastIndex((slot) => slot.kind === 'model' && slot.runId === runId && slot.reply);
  const last = slots[at];
  if (last?.kind !== 'model' || last.textOnly?.code !== 'wrap_up') return undefined;
  const text = joinedAnswer(slots.slice(0, at), last)?.text ?? textOf(last.reply?.content ?? []);
  return summaryIn(text);
}

const keys = ['findings', 'actionsTaken', 'failures', 'remainingWork', 'suggestedNextSteps'] as const;

/** The summary in a text: its JSON object, or, if it has none, the text as the only finding. */
function summaryIn(text: string): WrapUpSummary {
  const found = objectIn(text);
  const lists = keys.map((key) => [key, found ? listOf(found[key]) : []]);
  const summary = Object.fromEntries(lists) as Record<(typeof keys)[number], string[]>;
  return found ? summary : { ...summary, findings: listOf(text.trim() === '' ? [] : [text.trim()]) };
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    const usable = typeof value === 'object' && value !== null && !isTooDeep(value);
    return usable ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value])
    .slice(0, MAX_ENTRIES)
    .map((entry) =>
      (typeof entry === 'string' ? entry : JSON.stringify(entry)).slice(0, MAX_ENTRY_CHARS).toWellFormed(),
    );
