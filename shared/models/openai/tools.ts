import { memoize } from '../../agent/plain/memoize.ts';
import { isRecord } from '../../agent/plain/merge.ts';
import type { PinnedTool } from '../../agent/session/pinned.ts';
import { RequestFault } from '../common/failure.ts';
import type { ServerRules } from '../dialects.ts';

/** A tool in the form of the Chat Completions API. */
interface ChatTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object };
}

/**
 * Tools in the form that a server takes. They are pinned, so each is converted once and not with every request.
 *
 * @returns undefined if there are none: some servers refuse an empty list
 * @throws RequestFault if there are more than the server takes
 */
export function toChatTools(
  tools: readonly PinnedTool[],
  rules: ServerRules,
): readonly ChatTool[] | undefined {
  const { mostTools } = rules;
  if (mostTools !== undefined && tools.length > mostTools) {
    const message = `The model's server takes at most ${mostTools} tools, and the agent has ${tools.length}. List fewer, or set model.dialect if this server takes more.`;
    throw new RequestFault('too_many_tools', message);
  }
  return tools.length === 0 ? undefined : tools.map(formOf(rules));
}

const formOf = memoize((rules: ServerRules) => memoize((tool: PinnedTool) => toFunction(tool, rules)));

/** Some servers refuse `$schema`, and no server reads it. */
function toFunction(
  { name, description, input_schema: { $schema: _, ...schema } }: PinnedTool,
  { descriptionChars, arrayItems }: ServerRules,
): ChatTool {
  const parameters = arrayItems ? (withItems(schema) as object) : schema;
  return {
    type: 'function',
    function: { name, description: cut(description, descriptionChars), parameters },
  };
}

const MARK = ' … [cut]';

/** The beginning of a description, with a mark in place of the rest. Never cuts a surrogate pair. */
function cut(text: string, most: number | undefined): string {
  if (most === undefined || text.length <= most) return text;
  return text.slice(0, most - MARK.length).replace(/[\uD800-\uDBFF]$/, '') + MARK;
}

/** Keys whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);
/** Keys whose value maps names to schemas: a property may be called `type` or `items`. */
const BY_NAME: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Adds `items` to each array of the schema that has none. Returns the same object if nothing is missing. */
function withItems(schema: unknown): unknown {
  if (Array.isArray(schema)) return unlessSame(schema, schema.map(withItems));
  if (!isRecord(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (DATA.has(key)) return [key, value];
    if (!BY_NAME.has(key) || !isRecord(value)) return [key, withItems(value)];
    const inner = Object.entries(value).map(([name, one]): [string, unknown] => [name, withItems(one)]);
    return [key, unlessSame(value, Object.fromEntries(inner))];
  });
  const walked = unlessSame(schema, Object.fromEntries(entries));
  return isArray(schema.type) && !('items' in schema) ? { ...walked, items: {} } : walked;
}

const isArray = (type: unknown): boolean =>
  type === 'array' || (Array.isArray(type) && type.includes('array'));

function unlessSame<T extends object>(before: T, after: T): T {
  const was = Object.values(before);
  return Object.values(after).every((value, at) => value === was[at]) ? before : after;
}
