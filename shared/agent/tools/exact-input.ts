import * as z from 'zod';
import { hasLargeInteger, largeInteger, mapBigints } from '../plain/digits.ts';
import { memoize } from '../plain/memoize.ts';
import type { ToolCall } from '../session/slots.ts';
import { BIGINT, mayFit, type SchemaIn, schemaIn } from './repairs/fits.ts';
import { walk } from './repairs/walk.ts';
import type { JsonSchema } from './source.ts';
import type { Tool } from './tool.ts';

/** A call's input as its tool's schema receives it. */
export interface InputFor {
  readonly input: unknown;
  /** Set if the input has an integer that the tool cannot take without changing it: a sentence that says so. */
  readonly tooLarge?: string;
}

/**
 * The input for a tool defined in code. Integers that no number holds are stored as text of their digits. If the tool takes a
 * `bigint`, it gets one. If it takes a `number`, the call is refused, since the nearest number is a different one.
 */
export function inputFor({ input }: ToolCall, tool: Tool): InputFor {
  if (!takesBigints(tool.input).yes && !hasLargeInteger(input)) return { input };
  const { schema } = schemaOf(tool.input);
  if (!schema) return { input };
  const tooLarge: string[] = [];
  const read = (value: unknown, on: SchemaIn): unknown => {
    if (mayFit(value, on)) return value;
    const integer = integerOf(value);
    if (integer === undefined) return value;
    if (mayFit(integer, on)) return integer;
    if (typeof value === 'string' && mayFit(Number(value), on)) tooLarge.push(value);
    return value;
  };
  const given = walk(input, schemaIn(schema), { read });
  return tooLarge.length === 0 ? { input: given } : { input, tooLarge: whyNot(tooLarge) };
}

function whyNot(digits: readonly string[]): string {
  const [first = '', ...more] = digits;
  const which = more.length === 0 ? first : `${first}, and ${more.length} more,`;
  return `${which} is too large for a number to hold exactly, and the tool was not given another one. It can take such an integer only if its schema has it as text (z.string) or as z.bigint.`;
}

const integerOf = (value: unknown): bigint | undefined => {
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(String(value)) : undefined;
  return typeof value === 'string' && /^-?\d{1,400}$/.test(value) ? BigInt(value) : undefined;
};

/** The JSON Schema of a code tool's input, with `bigint` where it takes one; none if JSON Schema cannot express it. */
const schemaOf = memoize((input: z.ZodType): { readonly schema?: object } => {
  try {
    const schema = z.toJSONSchema(input, {
      ...{ io: 'input', unrepresentable: 'any' },
      override({ zodSchema, jsonSchema }) {
        if (zodSchema._zod.def.type === BIGINT) jsonSchema.type = BIGINT as 'integer';
      },
    });
    return { schema };
  } catch {
    return {};
  }
});

/** Parts of a schema that are examined. */
const MAX_PARTS = 10_000;

/** Whether a zod schema contains a `bigint`. Read from its definitions, because zod's code for JSON Schema is loaded late. */
const takesBigints = memoize((input: z.ZodType): { readonly yes: boolean } => {
  const seen = new Set<object>();
  const open: unknown[] = [input];
  for (let part = open.pop(); open.length > 0 || part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null || seen.has(part) || seen.size > MAX_PARTS) continue;
    seen.add(part);
    const definition = '_zod' in part ? (part as z.ZodType)._zod.def : part;
    if (definition !== part && (definition as { type: string }).type === BIGINT) return { yes: true };
    if (definition !== part || Array.isArray(part) || Object.getPrototypeOf(part) === Object.prototype)
      open.push(...Object.values(definition));
  }
  return { yes: false };
});

/**
 * A reader of inputs by a JSON Schema that keeps digits: an integer that no number holds is a `bigint` in its result if the
 * schema wants a number and not a text. The schema is checked with the nearest number.
 */
export function exactReader(schema: JsonSchema, reader: z.ZodType): z.ZodType {
  const read = (value: unknown, on: SchemaIn): unknown => {
    const integer = largeInteger(value);
    return integer !== undefined && !mayFit(value, on) && mayFit(Number(integer), on) ? integer : value;
  };
  return z.unknown().transform((value, context) => {
    const exact = hasLargeInteger(value) ? walk(value, schemaIn(schema), { read }) : value;
    const checked = reader.safeParse(exact === value ? value : mapBigints(exact, Number));
    if (checked.success) return exact;
    for (const { message, path } of checked.error.issues)
      context.issues.push({ code: 'custom', message, path: [...path], input: value });
    return z.NEVER;
  });
}
