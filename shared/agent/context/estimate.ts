import type { ModelRequest } from '../ports.ts';

/** About how many tokens a request is: a quarter of its characters (A5). */
export function estimateTokens(request: ModelRequest): number {
  const { system, tools, messages } = request;
  return Math.floor((system.length + JSON.stringify(tools).length + JSON.stringify(messages).length) / 4);
}
