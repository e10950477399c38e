import * as z from 'zod';
import { readOnce } from '../../plain/read-once.ts';
import type { Pinned } from '../../session/pinned.ts';
import { toolsFound } from '../../session/tools-sent.ts';
import type { Tool } from '../tool.ts';
import { FOUND, MAX_FOUND, MAX_QUERY } from './names.ts';

/** Loads the search, once per process: only sessions with many tools need it. */
export const readFinding = readOnce(() => import('./find-tools.ts'));

const Query = z.object({
  query: z.string().max(MAX_QUERY),
  limit: z.int().min(1).max(MAX_FOUND).default(FOUND),
});
const Call = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) });

/** The search tools of a session; none if it does not search. */
export function searchToolsOf(pinned: Pick<Pinned, 'tools' | 'search'>): readonly Tool[] {
  const { search, tools } = pinned;
  if (!search) return [];
  const described = (name: string) => tools.find((tool) => tool.name === name)?.description ?? name;
  const find: Tool = {
    name: search.find,
    description: described(search.find),
    input: Query,
    effect: 'read',
    cacheable: true,
    level: 'safe',
    approval: 'never',
    async run(input) {
      const { query, limit } = Query.parse(input);
      const { findTools } = await readFinding();
      return findTools(toolsFound(pinned), query, limit, search.call);
    },
  };
  const call: Tool = {
    name: search.call,
    description: described(search.call),
    input: Call,
    effect: 'read',
    level: 'safe',
    approval: 'never',
    // A call that names a tool is read as a call of that tool before anything runs (tools/repairs/called-through.ts).
    run: () => {
      throw new Error(`name the tool, and give its arguments: ${search.find} says what there is`);
    },
  };
  return [find, call];
}
