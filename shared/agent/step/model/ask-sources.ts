/** Lists the tools of an agent's sources. Loaded by sessions that have sources. */

import type { Pinned, PinnedSource, PinnedTool } from '../../session/pinned.ts';
import type { Failure } from '../../session/reply.ts';
import { runOf } from '../../session/session.ts';
import { texts } from '../../texts.ts';
import { readListing } from '../../tools/declarations.ts';
import { loadReaders } from '../../tools/json-schema.ts';
import { askSource } from '../../tools/listing.ts';
import type { ToolSource } from '../../tools/source.ts';
import type { Step } from '../open/step-context.ts';
import { formsOf } from './formed.ts';

/** Tries after which a session continues without an optional source that cannot be reached. */
const OPTIONAL_TRIES = 3;

/** The lists of all sources. */
interface Listing {
  readonly sources: Readonly<Record<string, PinnedSource>>;
  readonly tools: readonly PinnedTool[];
}

type Found = Listing | { readonly failure: Failure };

/** All are asked at the same time and read in their order, so that if two list the same name, always the same one is refused. */
export async function askAll(
  step: Pick<Step, 'agent' | 'io' | 'lease' | 'loaded' | 'session'>,
): Promise<Found> {
  const { agent, loaded, lease, io } = step;
  const asked = agent?.toolSources ?? [];
  const [readerOf, ...said] = await Promise.all([
    loadReaders(),
    ...asked.map((source) => askSource(source, loaded.key, io, lease.signal)),
  ]);
  const own = withoutListed(loaded.pinned).tools;
  const tools: PinnedTool[] = [];
  const sources: Record<string, PinnedSource> = {};
  for (const [i, source] of asked.entries()) {
    const answer = said[i];
    if (!answer) continue;
    const taken = [...own, ...tools].map(({ name }) => name);
    const read = answer.kind === 'listed' ? readListing(source, answer.listed, taken, readerOf) : answer;
    if (read.kind === 'read') {
      tools.push(...read.tools);
      sources[source.name] = read.source;
    } else if (goesWithout(step, source, read.kind)) {
      sources[source.name] = { tools: [], missing: read.why };
    } else return { failure: failureOf(source, read) };
  }
  return { sources, tools };
}

/** A wrong answer stays wrong; an unreachable source may be back in a moment. */
const goesWithout = (
  { session }: Pick<Step, 'session'>,
  { optional = false }: ToolSource,
  kind: 'unreachable' | 'wrong',
): boolean => optional && (kind === 'wrong' || (runOf(session).unlisted?.times ?? 0) >= OPTIONAL_TRIES - 1);

const failureOf = (
  { name }: ToolSource,
  { kind, why }: { readonly kind: 'unreachable' | 'wrong'; readonly why: string },
): Failure =>
  kind === 'wrong'
    ? { kind: 'fatal', code: 'tool_source_wrong', message: `the tool source ${name} cannot be used: ${why}` }
    : {
        kind: 'retry',
        code: 'tool_source_unreachable',
        message: `the tool source ${name} could not list its tools: ${why}`,
        rateLimited: false,
      };

/** The definition of a session whose sources have been asked. */
export function withListed(pinned: Pinned, found: Listing): Pinned {
  const missing = missingIn(found.sources);
  const base = withoutListed(pinned);
  const own = pinned.formed ? base.tools : formsOf(base.tools);
  return {
    ...base,
    system: missing.length > 0 ? withNote(base.system, missing) : base.system,
    tools: [...own, ...found.tools],
    formed: true,
    sources: found.sources,
  };
}

const missingIn = (sources: Listing['sources']): string[] =>
  Object.entries(sources).flatMap(([name, source]) => (source.missing ? [name] : []));

const withNote = (system: string, missing: readonly string[]): string =>
  `${system}\n\n${texts.toolsMissing(missing)}`;

/** The definition as it was before its sources were asked. */
function withoutListed({ sources, ...pinned }: Pinned): Pinned {
  if (!sources) return pinned;
  const listed = new Set(Object.values(sources).flatMap(({ tools }) => tools.map(({ name }) => name)));
  const note = withNote('', missingIn(sources));
  const { system, tools } = pinned;
  return {
    ...pinned,
    system: system.endsWith(note) ? system.slice(0, -note.length) : system,
    tools: tools.filter(({ name }) => !listed.has(name)),
  };
}
