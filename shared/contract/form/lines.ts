/**
 * A form as text: one line a field, which people read and `read.ts` reads back. So a question with fields needs nothing but its text on
 * its way to people, and a channel that has forms shows exactly the form that the text shows.
 *
 *     - size (one of S, M, "L, tall"; may be left out): Size
 *     - nights (integer; at least 1; at most 30)
 *     Answer with a line for each, "name: value".
 */

import { plainText } from '../plain-text.ts';
import { boundsOf, choicesOf, type Field, type Form } from './fields.ts';

/** Most fields, and choices of one field, that a question shows. */
export const MAX_SHOWN = 30;
/** Most characters of a name or a choice. */
const MAX_WORD = 60;

/** Words of a line that are read back. */
export const line = {
  one: 'one of ',
  any: 'any of ',
  commas: ', with commas between',
  yesNo: 'yes or no',
  optional: 'may be left out',
  least: 'at least ',
  most: 'at most ',
  more: 'and more',
} as const;

/** The kinds of fields without choices, as people read them. */
export const kinds = {
  text: { type: 'string' },
  date: { type: 'string', format: 'date' },
  'date and time': { type: 'string', format: 'date-time' },
  'e-mail address': { type: 'string', format: 'email' },
  link: { type: 'string', format: 'uri' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  [line.yesNo]: { type: 'boolean' },
} as const satisfies Record<string, Pick<Field, 'type' | 'format'>>;

/** The line after the fields, without its end. The fields of a form are the lines right above it. */
export const answerLine = (fields: number): string =>
  fields > 1 ? 'Answer with a line for each, "name: value"' : 'Answer';

/** The fields as a person reads them, one a line. */
export function linesOf({ properties, required = [] }: Form): string[] {
  const all = Object.entries(properties);
  const lines = all.slice(0, MAX_SHOWN).map(([key, field]) => {
    const notes = [kindOf(field), ...bounds(field), ...(required.includes(key) ? [] : [line.optional])];
    const about = [field.title === key ? undefined : field.title, field.description]
      .filter(Boolean)
      .join(': ');
    return `- ${word(key)} (${notes.join('; ')})${about ? `: ${plainText(about, 200).replaceAll('\n', ' ')}` : ''}`;
  });
  return all.length > MAX_SHOWN ? [...lines, `- and ${all.length - MAX_SHOWN} more`] : lines;
}

/** The kind of a field: what may be answered. */
export function kindOf(field: Field): string {
  const all = choicesOf(field);
  const choices = [
    ...all.slice(0, MAX_SHOWN).map(({ value, label }) => {
      const named = label === undefined || label === value ? '' : ` = ${word(label)}`;
      return word(value) + named;
    }),
    ...(all.length > MAX_SHOWN ? [line.more] : []),
  ].join(', ');
  if (field.type === 'array') return `${line.any}${choices}${line.commas}`;
  if (all.length > 0) return line.one + choices;
  const { type, format } = field;
  const named = Object.entries(kinds).find(
    ([, kind]) => kind.type === type && ('format' in kind ? kind.format : undefined) === format,
  );
  return named?.[0] ?? 'text';
}

/** The bounds of a field, for people. */
export function bounds(field: Field): string[] {
  const { least, most } = boundsOf(field);
  return [
    ...(least === undefined ? [] : [`${line.least}${least}`]),
    ...(most === undefined ? [] : [`${line.most}${most}`]),
  ];
}

/** A name or a choice; in quotes if it would otherwise read as more than one word of the line. */
export function word(text: string): string {
  const plain = plainText(text, MAX_WORD);
  return /^[^\s"(),:;=][^"(),:;=\n]*$/.test(plain) && plain !== line.more ? plain : JSON.stringify(plain);
}
