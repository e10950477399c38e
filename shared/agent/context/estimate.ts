import { jsonOf } from '../plain/once.ts';
import type { ModelRequest } from '../ports.ts';

/** About how many tokens a request is: a quarter of its characters (A5). */
export function estimateTokens(request: ModelRequest): number {
  const { system, tools, messages } = request;
  return Math.floor((system.length + JSON.stringify(tools).length + charsOf(messages)) / 4);
}

/** Characters of messages as JSON: of each, one between two, and the brackets around all. */
export function charsOf(messages: ModelRequest['messages']): number {
  const between = Math.max(0, messages.length - 1);
  return messages.reduce((chars, message) => chars + jsonOf(message).length, between + 2);
}
