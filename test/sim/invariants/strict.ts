/**
 * Invariant: no request is sent that a strict server refuses, for the session's own API and for those of its fallbacks.
 */

import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import { toBody } from '../../../shared/models/anthropic/request.ts';
import { toBody as toConverseBody } from '../../../shared/models/bedrock/request.ts';
import { toBody as toGenerateBody } from '../../../shared/models/gemini/request.ts';
import { toBody as toChatBody } from '../../../shared/models/openai/request.ts';
import { toBody as toResponsesBody } from '../../../shared/models/responses/request.ts';
import { toolRules as chatToolRules } from '../../support/strict/chat/tools.ts';
import { type GivenBlocks, toolsOf } from '../../support/strict/messages/given.ts';
import { toolRules } from '../../support/strict/messages/tools.ts';
import {
  chatRules,
  converseRules,
  generateRules,
  messagesRules,
  refusalBy,
  responsesRules,
} from '../../support/strict/refusal.ts';
import { toolRules as responsesToolRules } from '../../support/strict/responses/tools.ts';
import { apiOf, type ChatDialect, type Dialect, type Fields, type Rule } from '../../support/strict/rule.ts';
import type { Checks } from '../ledger.ts';
import { isOdd } from '../odd.ts';

/** A model call that begins. */
export interface Sent {
  readonly request: ModelRequest;
  /** Number of calls that began before it in the simulation. */
  readonly nth: number;
  /** Whether replies may be paused turns: then the model's message may be the last. */
  readonly mayPause: boolean;
}

/** They take turns, since each costs as much as the session's own API. */
const fallbacks: readonly (ChatDialect | 'responses' | 'converse' | 'generate')[] = [
  ...(['openai', 'mistral', 'kimi', 'gemini', 'ollama', 'responses', 'converse', 'generate'] as const),
];

export const strictChecks: Checks<Sent> = {
  'no request that a strict server refuses': ({ request: sent, nth, mayPause }) => {
    const request = withoutOdd(sent);
    const refused = whyRefused(request, toBody(request, true).body, 'anthropic', mayPause);
    return refused ?? (nth % 8 === 0 ? asFallback(request, nth / 8) : undefined);
  },
};

/** Blocks that a server gives and then refuses are a separate fault (`odd.ts`). Here text replaces them. */
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
  const dialect = fallbacks[turn % fallbacks.length] ?? 'openai';
  if (dialect === 'responses') {
    const raw = toResponsesBody({ ...request, provider: 'openai-responses' }, 'https://api.openai.com/v1');
    return whyRefused(request, raw, dialect, false);
  }
  if (dialect === 'converse') {
    const raw = toConverseBody({ ...request, provider: 'bedrock-converse' });
    return whyRefused(request, raw, dialect, false);
  }
  if (dialect === 'generate')
    return whyRefused(request, toGenerateBody({ ...request, provider: 'gemini' }), dialect, false);
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
  const rules = rulesOf[apiOf(dialect)][known.has(dialect) ? 'rest' : 'all'];
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

/**
 * Tools that a server has accepted. A session asks with the same ones each time, and they are most of what there is to
 * check.
 */
const sound = new WeakMap<ModelRequest['tools'], Set<Dialect>>();

/** The rules of each API: all of them, and those that are not about tools. */
const messages = { all: messagesRules, rest: messagesRules.filter((rule) => !toolRules.includes(rule)) };
const chat = { all: chatRules, rest: chatRules.filter((rule) => !chatToolRules.includes(rule)) };
const responses = {
  all: responsesRules,
  rest: responsesRules.filter((rule) => !responsesToolRules.includes(rule)),
};
const converse = { all: converseRules, rest: converseRules };
const generate = { all: generateRules, rest: generateRules };
const rulesOf = { messages, chat, responses, converse, generate };

/** A server that claims to have paused every turn, and signs no thoughts: the simulator checks those itself. */
const pausing = (body: Fields): GivenBlocks => ({
  took() {},
  signs: false,
  made: () => false,
  paused: () => toolsOf(body),
  boundTo: () => true,
});
