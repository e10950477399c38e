import type * as z from 'zod';
import type { Tool } from '../tools/tool.ts';

/** Kinds of zod schemas that no JSON text satisfies. */
const NO_JSON = ['symbol', 'undefined', 'void', 'map', 'set', 'nan', 'function', 'promise', 'file'];
/** Kinds that accept no object, so no call has arguments for them. */
const NO_OBJECT = [
  ...[
    'string',
    'number',
    'int',
    'boolean',
    'bigint',
    'null',
    'date',
    'enum',
    'literal',
    'array',
    'tuple',
    'never',
  ],
  ...['template_literal', ...NO_JSON],
];

/** The parts of a zod definition that are examined, whatever its kind. */
interface Def {
  readonly type: string;
  readonly coerce?: boolean;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly options?: readonly z.core.$ZodType[];
  readonly items?: readonly z.core.$ZodType[];
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly left?: z.core.$ZodType;
  readonly right?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
}

/**
 * Why a tool could never be called, in a sentence; undefined if it can. Looks only at the kinds of its schemas: JSON Schema is
 * made of them when a session begins, so no cold start pays for that.
 */
export function wrongTool({ name, input }: Pick<Tool, 'name' | 'input'>): string | undefined {
  if (!takesObject(input))
    return `tool ${name}: its input is of type ${defOf(input).type}, but the arguments of a call are an object; use z.object`;
  const found = noJsonIn(input, '', new Set());
  return found
    ? `tool ${name}: its input${found.at} is of type ${found.kind}, which JSON cannot express; take a text or a number, and convert it`
    : undefined;
}

const defOf = ({ _zod }: z.core.$ZodType): Def => _zod.def as Def;

function takesObject(schema: z.core.$ZodType): boolean {
  const { type, options, left, right, innerType, in: source } = defOf(schema);
  if (options) return options.some(takesObject);
  if (left && right) return takesObject(left) && takesObject(right);
  const inner = innerType ?? source;
  return inner ? takesObject(inner) : !NO_OBJECT.includes(type);
}

type Found = { readonly at: string; readonly kind: string };

function noJsonIn(schema: z.core.$ZodType, at: string, seen: Set<object>): Found | undefined {
  if (seen.has(schema)) return undefined;
  seen.add(schema);
  const def = defOf(schema);
  const {
    type,
    coerce,
    shape = {},
    options = [],
    items = [],
    element,
    valueType,
    innerType,
    left,
    right,
  } = def;
  if (NO_JSON.includes(type) || (type === 'date' && !coerce)) return { at, kind: type };
  // One branch of a choice is enough.
  const choices = options.map((option) => noJsonIn(option, at, seen));
  if (choices.length > 0 && choices.every((found) => found)) return choices[0];
  const parts = [
    ...Object.entries(shape).map(([key, inner]) => [`${at}.${key}`, inner] as const),
    ...items.map((inner, i) => [`${at}[${i}]`, inner] as const),
    ...[element, valueType].map((inner) => [`${at}[]`, inner] as const),
    ...[innerType, left, right, def.in].map((inner) => [at, inner] as const),
  ];
  for (const [place, inner] of parts) {
    const found = inner && !isOptional(inner) && noJsonIn(inner, place, seen);
    if (found) return found;
  }
  return undefined;
}

/** An optional property does not prevent a call. */
const isOptional = (schema: z.core.$ZodType): boolean => schema._zod.optin === 'optional';
