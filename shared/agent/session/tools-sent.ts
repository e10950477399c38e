import type { ServerTool } from '../config/server-tools.ts';
import { memoize } from '../plain/memoize.ts';
import type { Pinned, PinnedTool } from './pinned.ts';

type Offered = Pick<Pinned, 'tools' | 'search'>;

/**
 * The tools that the requests of a session declare. All requests of a session declare the same, because models bind their
 * thinking to the exact prefix. A session that searches for its tools declares the search tools, and those that are always
 * sent.
 */
export const toolsSent = memoize(({ tools, search }: Offered): readonly PinnedTool[] =>
  search ? tools.filter(({ name }) => sentBy(search).has(name)) : tools,
);

/** The tools that the model has to search for. */
export const toolsFound = memoize(({ tools, search }: Offered): readonly PinnedTool[] =>
  search ? tools.filter(({ name }) => !sentBy(search).has(name)) : [],
);

const sentBy = memoize(
  ({ find, call, shown }: NonNullable<Offered['search']>): ReadonlySet<string> =>
    new Set([find, call, ...shown]),
);

/** The tools of an agent that are declared beside those that the server runs: not one that runs the calls of a declared one. */
export function besideServerTools(
  tools: readonly PinnedTool[],
  serverTools: readonly ServerTool[] = [],
): readonly PinnedTool[] {
  if (serverTools.length === 0) return tools;
  const declared = new Set(serverTools.map(({ name }) => name));
  return tools.filter(({ name }) => !declared.has(name));
}
