import type { Message } from '../ports/provider.ts';
import { modelAt } from '../session/pinned.ts';
import type { Slot, StoredReply } from '../session/slots.ts';
import { toolsSent } from '../session/tools-sent.ts';
import type { Asked } from './asked.ts';
import { charsOf, estimateTokens, textCharsOf, textTokens } from './estimate.ts';
import { toMessages } from './messages.ts';
import { type Reading, readingOf } from './reading.ts';

/** Tokens that a model takes of which nobody says it: fewer than any has that is current. */
const UNKNOWN_WINDOW = 128_000;

/**
 * Tokens that a request may have: the window of the model that is asked, less what is kept free for its reply, which is at most
 * half of it (H13).
 *
 * @param fallback which of the definition's fallbacks is asked, from 1; 0 is its own model
 */
export function limitOf(pinned: Asked['pinned'], fallback = 0): number {
  const { reserve } = pinned.guardrails.context;
  const { window: known, maxTokens } = modelAt(pinned, fallback);
  const window = windowOf(pinned, known);
  return window - Math.min(reserve === 'max_tokens' ? maxTokens : reserve, Math.floor(window / 2));
}

/**
 * Tokens of request and reply to be used of what a model takes.
 *
 * @param known what it takes; undefined where nobody says it
 */
export function windowOf({ guardrails }: Asked['pinned'], known: number | undefined): number {
  const { window: wanted } = guardrails.context;
  return known && wanted ? Math.min(known, wanted) : known || wanted || UNKNOWN_WINDOW;
}

/**
 * Tokens of the next request: what the server has counted with the last reply to this very prefix, and an estimate of what came
 * since. Where there is no such reply, and for A5 and A6 always, an estimate of all.
 */
export function sizeOf(asked: Asked): number {
  const { slots, session, pinned, waiting } = asked;
  const reading = readingOf(session, pinned);
  const last = countsText(pinned) ? -1 : slots.findLastIndex((slot) => measuredBy(slot, reading) > 0);
  if (last === -1) return estimateOf(asked);
  const since = toMessages(slots.slice(last + 1), waiting, { ...reading, withoutThinking: true });
  return measuredBy(slots[last], reading) + Math.floor(charsOf(since) / 4);
}

/** The next request by its characters alone. */
export function estimateOf({ slots, session, pinned, waiting }: Asked): number {
  const prompt = {
    ...pinned,
    tools: toolsSent(pinned),
    messages: toMessages(slots, waiting, readingOf(session, pinned)),
  };
  return countsText(pinned) ? textTokens(prompt) : estimateTokens(prompt);
}

/** Characters of messages that are a token when four of them are: of all that is sent, or of what it says (A5). */
export const measureOf = (pinned: Asked['pinned']): ((messages: readonly Message[]) => number) =>
  countsText(pinned) ? textCharsOf : charsOf;

function countsText({ guardrails }: Asked['pinned']): boolean {
  const { strategy } = guardrails.context;
  return strategy === 'sliding_window' || strategy === 'compact';
}

/** Tokens that the server has counted of a request with this reading and of its reply; 0 where it has not. */
function measuredBy(slot: Slot | undefined, { fallback, fold }: Reading): number {
  const reply = slot?.kind === 'model' ? slot.reply : undefined;
  if (!reply || reply.estimated || (reply.fallback ?? 0) !== fallback || reply.fold !== fold) return 0;
  return tokensOf(reply);
}

/** 0 where the server has read the context several times for this reply, and only tells the sum. */
function tokensOf({ usage, contextTokens, content }: StoredReply): number {
  if (contextTokens !== undefined) return contextTokens;
  if (content.some(({ type }) => type === 'server_tool_use')) return 0;
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}
