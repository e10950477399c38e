import { isRecord } from '../../plain/merge.ts';
import { mayFit, partsFor, type SchemaIn, schemaIn } from './fits.ts';
import { type Repair, schemaOf } from './repair.ts';
import { textAsJson } from './text.ts';
import { firstThatFits, walk } from './walk.ts';

/**
 * Values in a form that the schema refuses, read as the only thing they can mean:
 *
 * - `null` for an optional property that may not be null means absence, and so does an empty text where no text is wanted
 *   (NVIDIA/NeMo-Agent-Toolkit#1269, anomalyco/opencode#26498);
 * - JSON text for an array, object, number or boolean means that value (earendil-works/pi#5697, AtomicBot-ai/atomic-agent#182,
 *   vellum-ai/vellum-assistant#34577), as do Python's `True` and `None`;
 * - one value for an array means an array of it, unless it is a text that may be a list;
 * - a text that differs only in case from one of the fixed texts means that one.
 *
 * A value that may fit as it is stays. Nested values are read in the same way.
 */
export const valuesAsMeant: Repair = (call, pinned) => {
  const schema = schemaOf(call, pinned);
  if (!schema || !isRecord(call.input)) return call;
  const input = walk(call.input, schemaIn(schema), { read, drops });
  return input === call.input ? call : { ...call, input };
};

const read = (value: unknown, on: SchemaIn): unknown => firstThatFits(value, () => formsOf(value, on), on);

const drops = (value: unknown, on: SchemaIn): boolean =>
  saysNothing(value) && !mayFit(value, on) && !mayFit(null, on);

const saysNothing = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && /^(?:|null|none|undefined)$/i.test(value.trim()));

/** Other values that a value may stand for, the likeliest first. Only forms of which no two can both fit. */
function formsOf(value: unknown, on: SchemaIn): unknown[] {
  if (typeof value === 'string') {
    const said = readText(value);
    const named = fixedTexts(value, on);
    return [...said, ...named, ...(isOne(value) ? [[value]] : [])];
  }
  const isEmpty = value === null || (isRecord(value) && Object.keys(value).length === 0);
  return isEmpty || Array.isArray(value) ? [] : [[value]];
}

/** The value of a text as JSON, and of a text inside that. */
function readText(text: string): unknown[] {
  if (/^\s*(?:true|false)\s*$/i.test(text)) return [/true/i.test(text)];
  const value = textAsJson(text);
  if (value === undefined) return [];
  return typeof value === 'string' && value !== text ? [...readText(value), value] : [value];
}

/** A text that is one item, and not a list of several. */
const isOne = (text: string): boolean => text.trim() !== '' && !/[,;|\n[\]{}]/.test(text);

/** The only fixed text of the schema that differs from `text` in case and blanks alone. */
function fixedTexts(text: string, on: SchemaIn): string[] {
  const plain = text.trim().toLowerCase();
  const same = partsFor(text, on).flatMap(({ enum: values }) =>
    Array.isArray(values)
      ? values.filter((one): one is string => typeof one === 'string' && one.trim().toLowerCase() === plain)
      : [],
  );
  return same.length === 1 ? same : [];
}
