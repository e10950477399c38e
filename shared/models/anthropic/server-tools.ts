import type { ServerTool } from '../../agent/config/server-tools.ts';
import { memoize } from '../../agent/plain/memoize.ts';
import type { ModelRequest } from '../../agent/ports/provider.ts';
import type { PinnedTool } from '../../agent/session/pinned.ts';
import { besideServerTools } from '../../agent/session/tools-sent.ts';

/**
 * The tools of a request: those that the server declares, then the agent's own, so that the breakpoint of the tools stands on one of
 * the latter.
 */
export const toolsIn = ({ serverTools = [], tools }: ModelRequest): readonly object[] => [
  ...serverTools,
  ...besideServerTools(tools, serverTools).map(toldOf),
];

/** A tool without the fields that only its calls need: the API refuses a request with an unknown field. */
const toldOf = memoize(({ original, keys, ...told }: PinnedTool): object => told);

/**
 * Whether running code costs nothing in a request with these tools: a web search or fetch of 2026-02-09 or later uses
 * code execution itself (platform.claude.com/docs/en/about-claude/pricing, "Code execution tool").
 */
export const runsForFree = (tools: readonly ServerTool[] = []): boolean =>
  tools.some(({ type }) => Number(/^web_(?:search|fetch)_(\d{8})$/.exec(type)?.[1] ?? 0) >= 20260209);
