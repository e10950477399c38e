/** Reads what a person has written as the answer to a form. */

import { plainText } from '../plain-text.ts';
import { choicesOf, type Field, type Form } from './fields.ts';
import { bounds, kindOf } from './lines.ts';

type Value = string | number | boolean | readonly string[];
/** The answer to a form, or what is wrong with it. */
export type Filled = { readonly content: Readonly<Record<string, Value>> } | { readonly wrong: string };

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
      return { wrong: `${plainText(key, 60)} must be ${mustBe(field)}` };
    else if (required.includes(key)) return { wrong: `${plainText(key, 60)} is missing` };
  }
  return { content };
}

/** The answers that a field accepts, for people. */
export const mustBe = (field: Field): string => [kindOf(field), ...bounds(field)].join(', ');

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

/** The value of a field that a person has written or chosen; undefined if the field does not accept it. */
export function valueFor(field: Field, given: unknown): Value | undefined {
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
      const value = choicesOf(field).length > 0 ? choiceOf(field, text.trim()) : formatted(field, text);
      return value !== undefined && within(value.length, field.minLength, field.maxLength)
        ? value
        : undefined;
    }
    default:
      return field.type satisfies never;
  }
}

/** A text in its format; undefined if it is not. A time without a zone counts as UTC. */
function formatted({ format }: Field, text: string): string | undefined {
  const said = text.trim();
  switch (format) {
    case undefined:
      return text;
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(said) && isMoment(said) ? said : undefined;
    case 'date-time': {
      const [, day, time, zone = 'Z'] =
        /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:\d\d)?$/i.exec(said) ?? [];
      const moment = `${day}T${time}${zone}`;
      return day !== undefined && isMoment(day) && !Number.isNaN(Date.parse(moment)) ? moment : undefined;
    }
    case 'email':
      return /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/.test(said) && said.length <= 254 ? said : undefined;
    case 'uri':
      return URL.canParse(said) ? said : undefined;
    default:
      return format satisfies never;
  }
}

/** Whether there is such a day: JavaScript takes the 31st of February for the 3rd of March. */
function isMoment(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

const choiceOf = (field: Field, text: string): string | undefined =>
  choicesOf(field).find(({ value, label }) =>
    [value, label].some((name) => name?.toLowerCase() === text.toLowerCase()),
  )?.value;

const within = (n: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean =>
  n >= least && n <= most;
