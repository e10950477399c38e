import type { ToolSearch } from '../../config/tool-search.ts';
import type { Pinned, PinnedTool } from '../../session/pinned.ts';
import { separator } from '../source.ts';
import { callName, findName, schemas } from './names.ts';

type Listed = Pick<Pinned, 'tools' | 'sources' | 'search'>;

/** Sources that the description of the search names. */
const MAX_SOURCES = 20;

/**
 * The definition with a search for its tools, if it has more than the setting allows. Code tools stay declared as long as they
 * alone are few enough. Pure and idempotent.
 *
 * @param own names of the agent's code tools
 */
export function withSearch<P extends Listed>(pinned: P, setting: ToolSearch, own: readonly string[]): P {
  const { search, ...rest } = pinned;
  const tools = search
    ? pinned.tools.filter(({ name }) => name !== search.find && name !== search.call)
    : pinned.tools;
  const all = { ...rest, tools } as P;
  if (!setting || !isMany(tools, setting)) return search ? all : pinned;
  const code = tools.filter(({ name }) => own.includes(name));
  const kept = new Set([...setting.always, ...(isMany(code, setting) ? [] : own)]);
  const shown = tools.flatMap(({ name }) => (kept.has(name) ? [name] : []));
  const taken = new Set(tools.map(({ name }) => name));
  const [find, call] = [freeName(findName, taken), freeName(callName, taken)];
  const hidden = tools.filter(({ name }) => !kept.has(name));
  if (hidden.length === 0) return search ? all : pinned;
  return { ...all, tools: [...tools, ...searchTools(find, call, hidden)], search: { find, call, shown } };
}

const isMany = (tools: readonly PinnedTool[], { aboveTools, aboveTokens }: Exclude<ToolSearch, false>) =>
  tools.length > aboveTools || JSON.stringify(tools).length / 4 > aboveTokens;

/** A code tool may have the name already. */
const freeName = (name: string, taken: ReadonlySet<string>): string =>
  taken.has(name) ? `steploop_${name}` : name;

function searchTools(find: string, call: string, hidden: readonly PinnedTool[]): PinnedTool[] {
  return [
    {
      name: find,
      description: `Search for more tools. ${hidden.length} tools are not listed here: ${sourcesOf(hidden)}. Returns the tools that fit best, with the arguments that they take. Search before you say that something cannot be done. Call what you find with ${call}.`,
      input_schema: schemas.find,
    },
    {
      name: call,
      description: `Call a tool that ${find} has found, by its name and with the arguments of its schema. What was found once can be called again at any time.`,
      input_schema: schemas.call,
    },
  ];
}

/** The number of tools of each source, so that the model knows what it may search for. */
function sourcesOf(tools: readonly PinnedTool[]): string {
  const counts = new Map<string, number>();
  for (const { name } of tools) {
    const [source] = name.includes(separator) ? name.split(separator) : ['this agent'];
    if (source) counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  const named = [...counts].slice(0, MAX_SOURCES).map(([source, count]) => `${count} of ${source}`);
  return counts.size > MAX_SOURCES ? `${named.join(', ')} and others` : named.join(', ');
}
