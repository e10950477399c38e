import * as z from 'zod';
import { plainText } from './plain-text.ts';

const Option = z.object({ const: z.string(), title: z.string().optional() });
const words = z.string().optional();
const number = z.number().optional();

/** One field of a form, as the protocol allows it: flat. */
const Field = z.object({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']),
  title: words,
  description: words,
  default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(Option).optional(),
  items: z.object({ enum: z.array(z.string()).optional(), anyOf: z.array(Option).optional() }).optional(),
  minimum: number,
  maximum: number,
  minLength: number,
  maxLength: number,
  minItems: number,
  maxItems: number,
});
type Field = z.infer<typeof Field>;

/** A form that a server asks a person to fill in. */
export const Form = z.object({
  properties: z.record(z.string(), Field),
  required: z.array(z.string()).optional(),
});
export type Form = z.infer<typeof Form>;

type Value = string | number | boolean | readonly string[];
/** The answer to a form, or what is wrong with it. */
export type Filled = { readonly content: Readonly<Record<string, Value>> } | { readonly wrong: string };

/** Most fields, and choices of one field, that a question shows. */
const MAX_SHOWN = 30;

/** The fields as a person reads them, one per line. */
export function linesOf({ properties, required = [] }: Form): string[] {
  const all = Object.entries(properties);
  const lines = all.slice(0, MAX_SHOWN).map(([key, field]) => {
    const notes = [kindOf(field), ...(required.includes(key) ? [] : ['may be left out'])].join(', ');
    const about = [field.title === key ? undefined : field.title, field.description]
      .filter(Boolean)
      .join(': ');
    return `- ${plainText(key, 60)} (${notes})${about ? `: ${plainText(about, 200).replaceAll('\n', ' ')}` : ''}`;
  });
  return all.length > MAX_SHOWN ? [...lines, `- and ${all.length - MAX_SHOWN} more`] : lines;
}

function kindOf(field: Field): string {
  const choices = choicesOf(field)
    .slice(0, MAX_SHOWN)
    .map(({ value, label }) =>
      plainText(label === undefined || label === value ? value : `${value} = ${label}`, 60),
    );
  if (field.type === 'array') return `any of ${choices.join(', ')}, with commas between`;
  if (choices.length > 0) return `one of ${choices.join(', ')}`;
  if (field.type === 'boolean') return 'yes or no';
  return field.type === 'string' ? 'text' : field.type;
}

function choicesOf({ enum: values, enumNames, oneOf, items }: Field) {
  const titled = oneOf ?? items?.anyOf;
  if (titled) return titled.map(({ const: value, title: label }) => ({ value, label }));
  return (values ?? items?.enum ?? []).map((value, i) => ({ value, label: enumNames?.[i] }));
}

/**
 * Parses what a person has written: JSON, a line for each field (`name: value`), or only the value if there is one
 * field. A missing field gets its default.
 */
export function filledIn({ properties, required = [] }: Form, text: string): Filled {
  const written = valuesIn(Object.keys(properties), text);
  const content: Record<string, Value> = {};
  for (const [key, field] of Object.entries(properties)) {
    const given = Object.hasOwn(written, key) ? written[key] : undefined;
    const value = given === undefined || given === '' ? field.default : valueFor(field, given);
    if (value !== undefined) content[key] = value;
    else if (given !== undefined && given !== '')
      return { wrong: `${plainText(key, 60)} must be ${kindOf(field)}${boundsOf(field)}` };
    else if (required.includes(key)) return { wrong: `${plainText(key, 60)} is missing` };
  }
  return { content };
}

function valuesIn(keys: readonly string[], text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json))
      return json as Record<string, unknown>;
  } catch {
    // It is not JSON, then.
  }
  const lines = text.split('\n').flatMap((line) => {
    // By hand: a regular expression for this takes minutes for a line of blanks.
    const end = line.indexOf(':');
    const name = line.slice(0, Math.max(0, end)).trim().replace(/^-/, '').trim().toLowerCase();
    const key = keys.find((known) => known.toLowerCase() === name);
    return key === undefined || name === '' ? [] : [[key, line.slice(end + 1).trim()] as const];
  });
  const [only] = keys;
  return keys.length === 1 && only !== undefined && lines.length === 0
    ? { [only]: text.trim() }
    : Object.fromEntries(lines);
}

const YES = /^(?:yes|y|true|ok|ja|on)$/i;
const NO = /^(?:no|n|false|nein|off)$/i;

/** Undefined if the field does not accept the value. */
function valueFor(field: Field, given: unknown): Value | undefined {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  switch (field.type) {
    case 'boolean':
      return YES.test(text) ? true : NO.test(text) ? false : undefined;
    case 'number':
    case 'integer': {
      const value = text.trim() === '' ? Number.NaN : Number(text);
      const isKind = field.type === 'number' ? Number.isFinite(value) : Number.isSafeInteger(value);
      return isKind && within(value, field.minimum, field.maximum) ? value : undefined;
    }
    case 'array': {
      const listed = Array.isArray(given) ? given.map(String) : text.split(',');
      const values = listed.map((one) => choiceOf(field, one.trim()));
      const isWhole = values.every((value) => value !== undefined);
      return isWhole && within(values.length, field.minItems, field.maxItems) ? values : undefined;
    }
    case 'string': {
      const value = choicesOf(field).length > 0 ? choiceOf(field, text.trim()) : text;
      return value !== undefined && within(value.length, field.minLength, field.maxLength)
        ? value
        : undefined;
    }
    default:
      return field.type satisfies never;
  }
}

const choiceOf = (field: Field, text: string): string | undefined =>
  choicesOf(field).find(({ value, label }) =>
    [value, label].some((name) => name?.toLowerCase() === text.toLowerCase()),
  )?.value;

const within = (n: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean =>
  n >= least && n <= most;

function boundsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems }: Field): string {
  const [least, most] = [minimum ?? minLength ?? minItems, maximum ?? maxLength ?? maxItems];
  return `${least === undefined ? '' : `, at least ${least}`}${most === undefined ? '' : `, at most ${most}`}`;
}
