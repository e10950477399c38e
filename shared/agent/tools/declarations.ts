import * as z from 'zod';
import { effectNames } from '../config/effects.ts';
import { explain } from '../plain/explain.ts';
import { isRecord } from '../plain/merge.ts';
import { byteLength } from '../plain/utf8.ts';
import type { OmittedTool, PinnedSource, PinnedTool, SourcedTool } from '../session/pinned.ts';
import { formOf, pinnedWith } from './forms/form.ts';
import { inputSchemaOf } from './input-schema.ts';
import { namesFor } from './listed-names.ts';
import type { ReaderOf, ToolSource } from './source.ts';

/** Tools of one source. A model with more tools than it handles searches for them (`tools/search/`). */
const MAX_TOOLS = 2_000;
/** Bytes of JSON of all tools of one source. A session's definition is kept in S3 if it is larger than an item. */
const MAX_LISTED_BYTES = 2_000_000;
/** Bytes of JSON of one tool. */
const MAX_TOOL_BYTES = 100_000;
/** Tools that were left out and are named. */
const MAX_OMITTED = 50;
/** Characters of the reason why one was left out. */
const MAX_WHY = 500;

const isZod = (value: unknown): value is z.ZodType =>
  typeof value === 'object' && value !== null && '_zod' in value;

const Declaration = z.strictObject({
  name: z.string().min(1).max(1_000),
  description: z.string().default(''),
  input: z.unknown(),
  effect: z.enum(effectNames).default('once'),
  where: z.enum(['inline', 'queue']).default('inline'),
  approval: z.enum(['always', 'never']).optional(),
  timeoutSeconds: z.number().positive().max(840).optional(),
});
type Declaration = z.output<typeof Declaration>;

/** A source's list as a session keeps it, or what is wrong with it, in words. */
export type Read =
  | { readonly kind: 'read'; readonly source: PinnedSource; readonly tools: readonly PinnedTool[] }
  | { readonly kind: 'wrong'; readonly why: string };

/**
 * Reads a source's list. It comes from outside, so none of it is trusted. Each tool is brought into the form that every model
 * server accepts (`forms/`); a tool that cannot be is left out, with its name and the reason. A list without a usable tool is an
 * error. Pure.
 *
 * @param taken names of the session's other tools
 * @param naming how the model calls its tools
 */
export function readListing(
  source: Pick<ToolSource, 'name' | 'queue'>,
  listed: unknown,
  taken: readonly string[],
  readerOf: ReaderOf,
  naming: typeof namesFor = namesFor,
): Read {
  if (!Array.isArray(listed)) return { kind: 'wrong', why: 'it does not list an array of tools' };
  const declared = listed.map((one: unknown, i) => declarationOf(one, i, source));
  const nameOf = naming(
    source.name,
    declared.flatMap((one) => ('why' in one ? [] : one.name)),
    taken,
  );
  const tools: PinnedTool[] = [];
  const sourced: SourcedTool[] = [];
  const omitted: OmittedTool[] = [];
  let bytes = 0;
  for (const one of declared) {
    const read = 'why' in one ? one : pinnedOf(one, nameOf, readerOf);
    if ('why' in read) {
      omitted.push(read);
      continue;
    }
    const { tool, sourced: kept } = read;
    const size = byteLength(JSON.stringify(tool));
    const why = whyNoRoom(tools.length, bytes, size);
    if (why) {
      omitted.push({ tool: shortOf(kept.listedAs), why });
      continue;
    }
    bytes += size;
    tools.push(tool);
    sourced.push(kept);
  }
  const [first] = omitted;
  if (first && tools.length === 0) {
    const others = omitted.length > 1 ? `, nor can the ${omitted.length - 1} others` : '';
    return { kind: 'wrong', why: `its tool ${first.tool} ${first.why}; it cannot be used${others}` };
  }
  return { kind: 'read', source: { tools: sourced, ...leftOut(omitted) }, tools };
}

function leftOut(omitted: readonly OmittedTool[]): Pick<PinnedSource, 'omitted' | 'omittedMore'> {
  if (omitted.length === 0) return {};
  const more = omitted.length - MAX_OMITTED;
  return { omitted: omitted.slice(0, MAX_OMITTED), ...(more > 0 && { omittedMore: more }) };
}

/** Characters of a tool's own name that are shown. */
const shortOf = (name: string): string => name.slice(0, 100).toWellFormed();

function declarationOf(
  declared: unknown,
  i: number,
  { queue }: Pick<ToolSource, 'queue'>,
): Declaration | OmittedTool {
  const { name } = isRecord(declared) ? declared : {};
  const tool = typeof name === 'string' && name !== '' ? shortOf(name) : `#${i + 1}`;
  const parsed = Declaration.safeParse(declared);
  const wrong = (why: string): OmittedTool => ({ tool, why: why.slice(0, MAX_WHY).toWellFormed() });
  if (!parsed.success) return wrong(`is declared wrongly: ${explain(parsed.error, Declaration)}`);
  if (parsed.data.where === 'queue' && !queue)
    return wrong('runs from the queue, which the source must say of itself: queue: true');
  return parsed.data;
}

type Pinning = { readonly tool: PinnedTool; readonly sourced: SourcedTool };

function pinnedOf(
  { name: listedAs, description, input, ...rest }: Declaration,
  nameOf: (listedAs: string) => string | undefined,
  readerOf: ReaderOf,
): Pinning | OmittedTool {
  const wrong = (why: string): OmittedTool => ({ tool: shortOf(listedAs), why });
  const name = nameOf(listedAs);
  if (name === undefined) return wrong('is listed twice');
  const formed = formOf(isZod(input) ? inputSchemaOf(input) : input);
  if (formed.kind === 'none') return wrong(formed.why);
  const { original, ...form } = formed.form;
  // A call must be checked by a schema, so a schema that cannot be read is refused.
  const isRead = original !== undefined && canRead(original, readerOf);
  if (!isRead && !canRead(form.schema, readerOf)) return wrong('has a schema that cannot be used');
  const told = { name, description: description.trim() === '' ? listedAs : description };
  return {
    tool: pinnedWith(told, isRead ? { ...form, original } : form),
    sourced: { name, listedAs, ...rest },
  };
}

function whyNoRoom(count: number, bytes: number, size: number): string | undefined {
  if (size > MAX_TOOL_BYTES) return `has ${size} bytes of JSON; at most ${MAX_TOOL_BYTES} may be`;
  if (count >= MAX_TOOLS) return `comes after ${MAX_TOOLS} others, which is all that there may be`;
  if (bytes + size > MAX_LISTED_BYTES)
    return `has no room: the tools of a source may have ${MAX_LISTED_BYTES} bytes of JSON`;
  return undefined;
}

function canRead(schema: Readonly<Record<string, unknown>>, readerOf: ReaderOf): boolean {
  try {
    readerOf(schema);
    return true;
  } catch {
    return false;
  }
}
