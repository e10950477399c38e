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
  { descriptionChars, arrayItems, plainSchemas }: ServerRules,
): ChatTool {
  const changes = [...(arrayItems ? [withItems] : []), ...(plainSchemas ? [withoutForms] : [])];
  const parameters = changes.reduce<object>((before, change) => eachSchema(before, change) as object, schema);
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

/** Changes each schema within a schema. Returns the same object if nothing changes. */
function eachSchema(schema: unknown, change: (schema: Schema) => Schema): unknown {
  if (Array.isArray(schema))
    return unlessSame(
      schema,
      schema.map((one) => eachSchema(one, change)),
    );
  if (!isRecord(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (DATA.has(key)) return [key, value];
    if (!BY_NAME.has(key) || !isRecord(value)) return [key, eachSchema(value, change)];
    const inner = Object.entries(value).map(([name, one]): [string, unknown] => [
      name,
      eachSchema(one, change),
    ]);
    return [key, unlessSame(value, Object.fromEntries(inner))];
  });
  return change(unlessSame(schema, Object.fromEntries(entries)));
}

type Schema = Readonly<Record<string, unknown>>;

const withItems = (schema: Schema): Schema =>
  isArray(schema.type) && !('items' in schema) ? { ...schema, items: {} } : schema;

/** Keywords of which a server with grammars makes rules that it may not be able to read: calls are checked by them here. */
const FORMS = ['pattern', 'format', 'minLength', 'maxLength', 'minItems', 'maxItems'];

const withoutForms = (schema: Schema): Schema =>
  FORMS.some((key) => key in schema)
    ? Object.fromEntries(Object.entries(schema).filter(([key]) => !FORMS.includes(key)))
    : schema;

const isArray = (type: unknown): boolean =>
  type === 'array' || (Array.isArray(type) && type.includes('array'));

function unlessSame<T extends object>(before: T, after: T): T {
  const was = Object.values(before);
  return Object.values(after).every((value, at) => value === was[at]) ? before : after;
}
