import { defined } from '../../plain/defined.ts';
import type { PinnedTool } from '../../session/pinned.ts';
import type { JsonSchema } from '../source.ts';
import { fold } from './fold.ts';
import { isObject, type Json, type JsonObject, same, toJson, Unusable } from './json.ts';
import { withKeyNames } from './keys.ts';
import { mapSchemas } from './keywords.ts';
import { mend } from './mend.ts';
import type { KeyNames } from './own-keys.ts';

/** A schema in the form that every model server accepts. */
export interface Form {
  /** Sent to the model. */
  readonly schema: JsonSchema;
  /** Checks calls, if it differs from `schema`: the schema as it was given, in valid JSON Schema 2020-12. */
  readonly original?: JsonSchema;
  /** Keys that were renamed. */
  readonly keys?: KeyNames;
  /** A sentence for the tool's description, about what the form cannot express. */
  readonly note?: string;
}

/** A form, or the reason why there is none: the end of a sentence that begins with the tool. */
export type Formed =
  | { readonly kind: 'formed'; readonly form: Form }
  | { readonly kind: 'none'; readonly why: string };

/** Values of an `enum` that a model is told. OpenAI accepts 1,000 in a schema (Structured outputs, "Supported schemas"). */
const MAX_VALUES = 1_000;

/**
 * Brings the schema of a tool's input into the one form that every model server accepts: an object at its root without
 * combinators, keys of letters and digits, JSON Schema 2020-12 throughout. A valid schema stays the same, byte for byte, and
 * applying this to a form changes nothing. Pure, and bounded in work whatever is given.
 */
export function formOf(given: unknown): Formed {
  try {
    const json = toJson(given);
    // Tools without arguments are listed like this (IvanMurzak/Unity-MCP#440).
    const asked = json === undefined || json === null || json === true ? {} : json;
    if (!isObject(asked)) return { kind: 'none', why: 'has no schema for its input' };
    return { kind: 'formed', form: make(asked) };
  } catch (error) {
    if (error instanceof Unusable) return { kind: 'none', why: error.message };
    throw error;
  }
}

function make(asked: JsonObject): Form {
  const original = mend(asked);
  const { schema: named, keys } = withKeyNames(original);
  const { schema: folded, note } = fold(named);
  const schema = mend(telling(folded));
  return {
    schema,
    ...(!same(asRoot(original), schema) && { original }),
    ...defined({ keys, note }),
  };
}

/** Adds what every form says and calls cannot violate: arguments are an object. */
const asRoot = (schema: JsonObject): JsonObject => ({
  ...(schema.type === undefined && { type: 'object' }),
  ...schema,
  ...(schema.properties === undefined && { properties: {} }),
});

/**
 * Adds the types that follow from the schema, which some servers require (Moonshot), and cuts lists of values to the room of a
 * request.
 */
function telling(schema: JsonObject): JsonObject {
  const inner = mapSchemas(schema, telling);
  const { enum: values } = inner;
  const type = inner.type ?? typeIn(inner);
  if (Array.isArray(values) && values.length > MAX_VALUES) {
    const { enum: _, description, ...rest } = inner;
    const some = values.slice(0, 20).map((value: Json) => JSON.stringify(value));
    const words = `One of ${values.length} values, for example ${some.join(', ').slice(0, 500).toWellFormed()}.`;
    return {
      ...rest,
      ...defined({ type }),
      description: description ? `${description} ${words}` : words,
    };
  }
  return type === undefined || inner.type !== undefined ? inner : { type, ...inner };
}

function typeIn(schema: JsonObject): Json | undefined {
  const { const: only, enum: values } = schema;
  const allowed = only === undefined ? values : [only];
  if (Array.isArray(allowed)) {
    const types = new Set(allowed.map(typeOf));
    const [type] = types;
    return types.size === 1 ? type : undefined;
  }
  if (['$ref', 'allOf', 'anyOf', 'oneOf', 'not'].some((keyword) => keyword in schema)) return undefined;
  if ('properties' in schema) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : undefined;
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** A tool as its session stores it, with its form. */
export function pinnedWith({ name, description }: Told, { schema, original, keys, note }: Form): PinnedTool {
  const told = note === undefined ? description : `${description}\n${note}`;
  const more = { ...defined({ original, keys }) };
  return { name, description: told.toWellFormed(), input_schema: schema, ...more };
}

type Told = Pick<PinnedTool, 'name' | 'description'>;
