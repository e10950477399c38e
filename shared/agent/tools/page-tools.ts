/** Tools that a page runs itself (docs/page-tools.md). Loaded by the first run that has some. */

import type { PageOffer } from '../../contract/page.ts';
import { canonicalJson, hash } from '../plain/hash.ts';
import type { OmittedTool, Pinned, PinnedPage } from '../session/pinned.ts';
import { SKILL_TOOL } from '../session/skills.ts';
import { readListing } from './declarations.ts';
import { exactReader } from './exact-input.ts';
import { loadReaders } from './json-schema.ts';
import { separator, type ToolSource } from './source.ts';
import type { Tool } from './tool.ts';

/** The parts of an agent that matter to the tools of a page. */
export interface ForPages {
  readonly toolSources: readonly Pick<ToolSource, 'name'>[];
  readonly approvals: { readonly expireAfterSeconds: number };
}

/** Names what the offer of a page is made of. */
export const offerId = ({ tools }: Pick<PageOffer, 'tools'>): string => hash(canonicalJson(tools));

/**
 * The definition for a run that begins with the tools of a page. They come last, in the order of their names, and stay the same
 * objects if the previous run had them, so that its prompt stays cached. They come from outside, like the list of a tool source,
 * and are checked in the same way; a tool with the name of another one is left out.
 */
export async function withPage(
  pinned: Pinned,
  { tools: offered, omitted = [] }: PageOffer,
  { toolSources: sources, approvals: { expireAfterSeconds: seconds } }: ForPages,
): Promise<Pinned> {
  const offer = offerId({ tools: offered });
  if (pinned.page?.offer === offer)
    return pinned.page.seconds === seconds ? pinned : { ...pinned, page: { ...pinned.page, seconds } };
  const base = withoutPage(pinned);
  const taken = new Set([...base.tools.map(({ name }) => name), ...reservedIn(base)]);
  const isTaken = (name: string) =>
    taken.has(name) || sources.some((source) => name.startsWith(`${source.name}${separator}`));
  const free = offered.filter(({ name }) => !isTaken(name));
  const listed = free.map(({ name, description, parameters: input }) => ({
    ...{ name, description, input, effect: 'idempotent', approval: 'never' },
  }));
  const read = readListing({ name: 'page' }, listed, [], await loadReaders(), () => (name) => name);
  const collided = offered.flatMap(({ name }) =>
    isTaken(name) ? [{ tool: name, why: 'has the name of a tool of the agent' }] : [],
  );
  const none: readonly OmittedTool[] =
    read.kind === 'wrong' ? free.map(({ name }) => ({ tool: name, why: read.why })) : [];
  const { tools, source } = read.kind === 'read' ? read : { tools: [], source: undefined };
  const left = [...omitted, ...collided, ...(source?.omitted ?? none)];
  const names = tools.map(({ name }) => name);
  return {
    ...base,
    tools: [...base.tools, ...tools],
    ...(base.search && { search: { ...base.search, shown: [...base.search.shown, ...names] } }),
    page: { offer, tools: names, seconds, ...(left.length > 0 && { omitted: left }) },
  };
}

/** Names that the session may give to tools of its own later. */
const reservedIn = ({ search, serverTools = [] }: Pinned): string[] => [
  SKILL_TOOL,
  ...(search ? [search.find, search.call] : []),
  ...serverTools.flatMap(({ name }) => name ?? []),
];

/** The definition without the tools of a page. */
export function withoutPage({ page, ...pinned }: Pinned): Pinned {
  const gone = new Set(page?.tools);
  const { tools, search } = pinned;
  const shown = search?.shown.filter((name) => !gone.has(name)) ?? [];
  return {
    ...pinned,
    tools: tools.filter(({ name }) => !gone.has(name)),
    ...(search && { search: { ...search, shown } }),
  };
}

/** The tools of the run's page. */
export async function pageToolsOf({ tools }: Pick<Pinned, 'tools'>, page: PinnedPage): Promise<Tool[]> {
  const readerOf = await loadReaders(tools);
  const names = new Set(page.tools);
  return tools
    .filter(({ name }) => names.has(name))
    .map(({ name, description, input_schema, original: input = input_schema }): Tool => {
      let made: Tool['input'] | undefined;
      return {
        ...{ name, description, effect: 'idempotent', approval: 'never' },
        page: { seconds: page.seconds },
        // A getter, because a step calls few of them.
        get input() {
          made ??= exactReader(input, readerOf(input));
          return made;
        },
        run() {
          throw new Error(`${name} runs in a page`);
        },
      };
    });
}
