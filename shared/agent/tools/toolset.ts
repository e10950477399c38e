import { defined } from '../plain/defined.ts';
import { readOnce } from '../plain/read-once.ts';
import type { Pinned, SourcedTool } from '../session/pinned.ts';
import { exactReader } from './exact-input.ts';
import { loadReaders } from './json-schema.ts';
import type { ReaderOf, ToolSource } from './source.ts';
import type { Tool } from './tool.ts';

/** Loads the tools that search for others, once per process: only sessions with many tools have them. */
export const readSearching = readOnce(() => import('./search/search-tools.ts'));

/** Loads the tool that reads skills, once per process: only sessions with skills have it. */
export const readSkillTool = readOnce(() => import('./skills/skill-tool.ts'));

/** Loads the tools that pages run, once per process: few runs have any. */
export const readPageTools = readOnce(() => import('./page-tools.ts'));

/** The tools of an agent, as it is deployed now. */
export interface HasTools {
  readonly tools: readonly Tool[];
  readonly toolSources: readonly ToolSource[];
}

/**
 * The tools of a session: those of the agent's code as it is deployed now, and those that its sources listed when the session
 * began, run by the source as it is deployed now; and those of the page that has begun the run. Calls no source.
 */
export async function toolsOf(
  agent: HasTools | undefined,
  pinned: Pick<Pinned, 'tools' | 'sources' | 'search' | 'skills' | 'page'>,
): Promise<readonly Tool[]> {
  const { tools = [], toolSources = [] } = agent ?? {};
  const { sources = {} } = pinned;
  const listing = toolSources.filter(({ name }) => (sources[name]?.tools.length ?? 0) > 0);
  const searching = pinned.search ? (await readSearching()).searchToolsOf(pinned) : [];
  const reading = pinned.skills ? [(await readSkillTool()).skillTool(pinned.skills)] : [];
  const ofPage = pinned.page ? await (await readPageTools()).pageToolsOf(pinned, pinned.page) : [];
  const added = [...reading, ...searching, ...ofPage];
  if (listing.length === 0) return added.length > 0 ? [...tools, ...added] : tools;
  const readerOf = await loadReaders(pinned.tools);
  const sourced = listing.flatMap((source) =>
    (sources[source.name]?.tools ?? []).flatMap((tool) => bound(source, tool, pinned, readerOf)),
  );
  return [...tools, ...sourced, ...added];
}

function bound(
  source: ToolSource,
  { listedAs, ...sourced }: SourcedTool,
  { tools }: Pick<Pinned, 'tools'>,
  readerOf: ReaderOf,
): Tool[] {
  const told = tools.find(({ name }) => name === sourced.name);
  if (!told) return [];
  const { description, input_schema, original: input = input_schema } = told;
  const listed = { ...sourced, name: listedAs, description, input };
  let made: Tool['input'] | undefined;
  return [
    {
      ...sourced,
      // A deployment whose source no longer queues anything may have no queue.
      where: source.queue ? sourced.where : 'inline',
      description,
      // A getter, because a step calls few of them.
      get input() {
        made ??= exactReader(input, readerOf(input));
        return made;
      },
      ...defined({ settings: source.settings, secrets: source.secrets }),
      run: (given, context) => source.get(listed)(given, context),
    },
  ];
}
