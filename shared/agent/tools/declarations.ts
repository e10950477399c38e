import * as z from 'zod';
import { effectNames } from '../config/effects.ts';
import { isTooDeep } from '../plain/depth.ts';
import { explain } from '../plain/explain.ts';
import { hash } from '../plain/hash.ts';
import { isRecord } from '../plain/merge.ts';
import type { PinnedSource, PinnedTool, SourcedTool } from '../session/pinned.ts';
import { type JsonSchema, type ReaderOf, separator, type ToolSource } from './source.ts';

/** Tools of one source. Servers of models take 128 in a request. */
const MAX_TOOLS = 128;
/** Bytes of JSON of all that a source lists: the model reads it with every request. */
const MAX_LISTED_BYTES = 200_000;
/** Characters of a name, which servers of models take. */
const MAX_NAME = 64;

const isZod = (value: unknown): value is z.ZodType =>
  typeof value === 'object' && value !== null && '_zod' in value;

const Declaration = z.strictObject({
  name: z.string().min(1).max(200),
  description: z.string().min(1),
  input: z.custom<JsonSchema | z.ZodType>(
    (value) => isZod(value) || isRecord(value),
    'must be a JSON Schema or a zod schema',
  ),
  effect: z.enum(effectNames).default('once'),
  where: z.enum(['inline', 'queue']).default('inline'),
  approval: z.enum(['always', 'never']).optional(),
  timeoutSeconds: z.number().positive().max(840).optional(),
});

/** What a source has listed, as a session keeps it; or what is wrong with it, in words. */
export type Read =
  | { readonly kind: 'read'; readonly source: PinnedSource; readonly tools: readonly PinnedTool[] }
  | { readonly kind: 'wrong'; readonly why: string };

/**
 * Reads what a source has listed. It comes from outside, so nothing of it is believed: one wrong tool refuses them all,
 * because a session with some of them is none that anybody has meant. Pure.
 *
 * @param taken names that the session's other tools have
 */
export function readListing(
  source: Pick<ToolSource, 'name' | 'queue'>,
  listed: unknown,
  taken: readonly string[],
  readerOf: ReaderOf,
): Read {
  const wrong = (why: string): Read => ({ kind: 'wrong', why });
  if (!Array.isArray(listed)) return wrong('it does not list an array of tools');
  if (listed.length > MAX_TOOLS) return wrong(`it lists ${listed.length} tools; at most ${MAX_TOOLS} may be`);
  const tools: PinnedTool[] = [];
  const sourced: SourcedTool[] = [];
  for (const [i, declared] of listed.entries()) {
    const parsed = Declaration.safeParse(declared);
    const place = isRecord(declared) && typeof declared.name === 'string' ? declared.name : String(i);
    const tool = `its tool ${place.slice(0, 100)}`;
    if (!parsed.success) return wrong(`${tool} is declared wrongly:\n${explain(parsed.error, Declaration)}`);
    const { name: listedAs, description, input, ...rest } = parsed.data;
    if (rest.where === 'queue' && !source.queue)
      return wrong(`${tool} runs from the queue, which the source must say of itself: queue: true`);
    const schema = schemaOf(input, readerOf);
    if (typeof schema === 'string') return wrong(`the input of ${tool} ${schema}`);
    const name = nameOf(source.name, listedAs);
    if (taken.includes(name) || sourced.some((other) => other.name === name))
      return wrong(`${tool} would be called ${name}, as another tool is`);
    tools.push({ name, description: description.toWellFormed(), input_schema: schema });
    sourced.push({ name, listedAs, ...rest });
  }
  const bytes = utf8.encode(JSON.stringify(tools)).length;
  if (bytes > MAX_LISTED_BYTES)
    return wrong(`its tools have ${bytes} bytes of JSON; at most ${MAX_LISTED_BYTES} may be`);
  return { kind: 'read', source: { tools: sourced }, tools };
}

const utf8 = new TextEncoder();

/** A name that servers of models take. One that had to be changed may meet another: then the listing is refused. */
function nameOf(source: string, listedAs: string): string {
  const name = `${source}${separator}${listedAs.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 9)}_${hash(listedAs, 8)}`;
}

/** The schema as it is kept, or why it cannot be used. */
function schemaOf(input: JsonSchema | z.ZodType, readerOf: ReaderOf): JsonSchema | string {
  try {
    const given = isZod(input) ? z.toJSONSchema(input, { target: 'draft-2020-12', io: 'input' }) : input;
    if (isTooDeep(given)) return 'has a schema that is too deep';
    const schema = JSON.parse(JSON.stringify(given)) as JsonSchema;
    if (schema.type !== 'object') return 'must be an object: "type": "object" is missing in its schema';
    readerOf(schema);
    return schema;
  } catch (error) {
    return `has a schema that cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}
