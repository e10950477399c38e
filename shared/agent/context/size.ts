import type { Message } from '../ports/provider.ts';
import { modelAt } from '../session/pinned.ts';
import type { Slot, StoredReply } from '../session/slots.ts';
import { toolsSent } from '../session/tools-sent.ts';
import type { ContextInputs } from './asked.ts';
import { charsOf, estimateTokens, textCharsOf, textTokens } from './estimate.ts';
import { toMessages } from './messages.ts';
import { type Reading, readingOf } from './reading.ts';

/** Tokens assumed for a model whose window is not known: fewer than any current model has. */
const UNKNOWN_WINDOW = 128_000;

/**
 * Tokens that a request may have: the window of the model that is asked, less what is kept free for its reply, which is at most
 * half of it.
 *
 * @param fallback number of the definition's fallback that is asked, from 1; 0 is its own model
 */
export function limitOf(pinned: ContextInputs['pinned'], fallback = 0): number {
  const { reserve } = pinned.guardrails.context;
  const { window: known, maxTokens } = modelAt(pinned, fallback);
  const window = windowOf(pinned, known);
  return window - Math.min(reserve === 'max_tokens' ? maxTokens : reserve, Math.floor(window / 2));
}

/**
 * Tokens of request and reply to use, out of what a model takes.
 *
 * @param known the tokens that it takes; undefined if unknown
 */
export function windowOf({ guardrails }: ContextInputs['pinned'], known: number | undefined): number {
  const { window: wanted } = guardrails.context;
  return known && wanted ? Math.min(known, wanted) : known || wanted || UNKNOWN_WINDOW;
}

/**
 * Tokens of the next request: the server's count for the last reply to this same prefix, plus an estimate of what came since.
 * Without such a reply, and always for `sliding_window` and `compact`, an estimate of everything.
 */
export function sizeOf(asked: ContextInputs): number {
  const { slots, session, pinned, waiting } = asked;
  const reading = readingOf(session, pinned);
  const last = countsText(pinned) ? -1 : slots.findLastIndex((slot) => measuredBy(slot, reading) > 0);
  if (last === -1) return estimateOf(asked);
  const since = toMessages(slots.slice(last + 1), waiting, { ...reading, withoutThinking: true });
  return measuredBy(slots[last], reading) + Math.floor(charsOf(since) / 4);
}

/** The next request by its characters alone. */
export function estimateOf({ slots, session, pinned, waiting }: ContextInputs): number {
  const prompt = {
    ...pinned,
    tools: toolsSent(pinned),
    messages: toMessages(slots, waiting, readingOf(session, pinned)),
  };
  return countsText(pinned) ? textTokens(prompt) : estimateTokens(prompt);
}

/** The measure of messages of which four characters count as a token: everything that is sent, or only the texts. */
export const measureOf = (pinned: ContextInputs['pinned']): ((messages: readonly Message[]) => number) =>
  countsText(pinned) ? textCharsOf : charsOf;

function countsText({ guardrails }: ContextInputs['pinned']): boolean {
  const { strategy } = guardrails.context;
  return strategy === 'sliding_window' || strategy === 'compact';
}

/** Tokens that the server has counted for a request with this reading and its reply; 0 if it has not. */
function measuredBy(slot: Slot | undefined, { fallback, fold }: Reading): number {
  const reply = slot?.kind === 'model' ? slot.reply : undefined;
  if (!reply || reply.estimated || (reply.fallback ?? 0) !== fallback || reply.fold !== fold) return 0;
  return tokensOf(reply);
}

/** 0 if the server has read the context several times for this reply, and only reports the sum. */
function tokensOf({ usage, contextTokens, content }: StoredReply): number {
  if (contextTokens !== undefined) return contextTokens;
  if (content.some(({ type }) => type === 'server_tool_use')) return 0;
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}
