/** Invariant: no request that a strict server refuses, of the session's own API, and of those that a fallback may speak. */

import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import { toBody } from '../../../shared/models/anthropic/request.ts';
import { toBody as toChatBody } from '../../../shared/models/openai/request.ts';
import { toolRules as chatToolRules } from '../../support/strict/chat/tools.ts';
import { type GivenBlocks, toolsOf } from '../../support/strict/messages/given.ts';
import { toolRules } from '../../support/strict/messages/tools.ts';
import { chatRules, messagesRules, refusalBy } from '../../support/strict/refusal.ts';
import type { ChatDialect, Dialect, Fields, Rule } from '../../support/strict/rule.ts';
import type { Checks } from '../ledger.ts';
import { isOdd } from '../odd.ts';

/** A model call that begins. */
export interface Sent {
  readonly request: ModelRequest;
  /** How many calls of the simulation began before it. */
  readonly nth: number;
  /** Replies may be paused turns: then the model's word may be the last. */
  readonly mayPause: boolean;
}

/** They take turns: each costs as much as the session's own API. */
const fallbacks: readonly ChatDialect[] = ['openai', 'mistral', 'kimi', 'gemini', 'ollama'];

export const strictChecks: Checks<Sent> = {
  'no request that a strict server refuses': ({ request: sent, nth, mayPause }) => {
    const request = withoutOdd(sent);
    const refused = whyRefused(request, toBody(request, true).body, 'anthropic', mayPause);
    return refused ?? (nth % 8 === 0 ? asFallback(request, nth / 8) : undefined);
  },
};

/** Blocks that a server gives and refuses are a fault of their own (`odd.ts`): here words stand in their place. */
const withoutOdd = (request: ModelRequest): ModelRequest => ({
  ...request,
  messages: request.messages.map((message) =>
    message.content.some(isOdd)
      ? {
          ...message,
          content: message.content.map((block) => (isOdd(block) ? { type: 'text', text: 'odd' } : block)),
        }
      : message,
  ),
});

function asFallback(request: ModelRequest, turn: number): string | undefined {
  const dialect = fallbacks[turn % fallbacks.length] as ChatDialect;
  const raw = toChatBody({ ...request, provider: 'openai', dialect }, 'http://127.0.0.1', 'native');
  return whyRefused(request, raw, dialect, false);
}

function whyRefused(
  { tools }: ModelRequest,
  raw: string,
  dialect: Dialect,
  mayPause: boolean,
): string | undefined {
  const body = JSON.parse(raw) as Fields;
  const known = sound.get(tools) ?? new Set();
  const rules = (dialect === 'anthropic' ? messages : chat)[known.has(dialect) ? 'rest' : 'all'];
  const refusal = refusalBy(rules as readonly Rule<unknown>[], {
    body,
    raw,
    dialect,
    given: mayPause ? pausing(body) : undefined,
  });
  if (refusal) return `${dialect}: ${refusal.message} (${refusal.rule})`;
  sound.set(tools, known.add(dialect));
  return undefined;
}

/** Tools that a server has taken: a session asks with the same ones each time, and they are most of what there is to check. */
const sound = new WeakMap<ModelRequest['tools'], Set<Dialect>>();

/** The rules of both APIs: all, and those that are not of tools. */
const messages = { all: messagesRules, rest: messagesRules.filter((rule) => !toolRules.includes(rule)) };
const chat = { all: chatRules, rest: chatRules.filter((rule) => !chatToolRules.includes(rule)) };

/** A server that says of every turn that it has paused it, and signs no thoughts: the simulator looks after those itself. */
const pausing = (body: Fields): GivenBlocks => ({
  took() {},
  signs: false,
  made: () => false,
  paused: () => toolsOf(body),
  boundTo: () => true,
});
