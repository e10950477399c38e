/** Reads the form back that `lines.ts` has written into a question. */

import type { Choice, Field, Form } from './fields.ts';
import { kinds, line } from './lines.ts';

/** A form, and the words of the question around it. */
export interface FormRead {
  readonly form: Form;
  readonly words: string;
}

/** The form of a question, from its text; undefined if it has none, or if the text does not show all of it. */
export function formIn(question: string): FormRead | undefined {
  const lines = question.split('\n');
  const end = lines.findLastIndex((one) => /^Answer\b/.test(one));
  const start = lines.findLastIndex((one, i) => i < end && !one.startsWith('- ')) + 1;
  const read = lines.slice(start, Math.max(0, end)).map(fieldIn);
  const fields = read.flatMap((one) => (one ? [one] : []));
  const names = new Set(fields.map(({ name }) => name));
  if (fields.length === 0 || fields.length < read.length || names.size < fields.length) return undefined;
  return {
    form: {
      properties: Object.fromEntries(fields.map(({ name, field }) => [name, field])),
      required: fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
    },
    words: [...lines.slice(0, start), ...lines.slice(end + 1)].join('\n').trim(),
  };
}

interface ReadField {
  readonly name: string;
  readonly field: Field;
  readonly isRequired: boolean;
}

/** Undefined for a line that is no field, or whose name was cut. */
function fieldIn(text: string): ReadField | undefined {
  const named = wordIn(text.slice(2), ' (');
  if (!named || isCut(named.word) || !named.rest.startsWith(' (')) return undefined;
  const notes: string[] = [];
  let rest = named.rest.slice(2);
  for (;;) {
    const end = endOf(rest, ';)');
    if (end < 0) return undefined;
    notes.push(rest.slice(0, end));
    const isLast = rest[end] === ')';
    rest = rest.slice(end + 1).replace(/^ /, '');
    if (isLast) break;
  }
  const [kind = '', ...others] = notes;
  const field = kindIn(kind);
  if (!field) return undefined;
  const about = /^:? ?(.+)$/.exec(rest)?.[1];
  const bound = (words: string): number | undefined => {
    const found = others.find((note) => note.startsWith(words))?.slice(words.length);
    return found === undefined || !Number.isFinite(Number(found)) ? undefined : Number(found);
  };
  return {
    name: named.word,
    field: {
      ...field,
      ...boundedBy(field.type, bound(line.least), bound(line.most)),
      ...(about && { description: about }),
    },
    isRequired: !others.includes(line.optional),
  };
}

function kindIn(kind: string): Field | undefined {
  const free = Object.entries(kinds).find(([words]) => words === kind);
  if (free) return { ...free[1] };
  if (kind.startsWith(line.any) && kind.endsWith(line.commas)) {
    const choices = choicesIn(kind.slice(line.any.length, -line.commas.length));
    if (choices === 'other') return { type: 'string' };
    return choices && { type: 'array', items: { anyOf: choices.map(optionOf) } };
  }
  if (!kind.startsWith(line.one)) return undefined;
  const choices = choicesIn(kind.slice(line.one.length));
  if (choices === 'other') return { type: 'string' };
  return choices && { type: 'string', oneOf: choices.map(optionOf) };
}

const optionOf = ({ value, label }: Choice) => ({
  const: value,
  ...(label !== undefined && { title: label }),
});

/** `other`: the text does not show all choices, so one of the others must be written. */
function choicesIn(text: string): Choice[] | 'other' | undefined {
  const choices: Choice[] = [];
  for (let rest = text; rest !== ''; ) {
    if (rest === line.more) return 'other';
    const value = wordIn(rest, ', ', ' = ');
    if (!value) return undefined;
    rest = value.rest;
    let label: string | undefined;
    if (rest.startsWith(' = ')) {
      const named = wordIn(rest.slice(3), ', ');
      if (!named) return undefined;
      ({ word: label, rest } = named);
    }
    if (isCut(value.word)) return 'other';
    choices.push({ value: value.word, label });
    if (rest !== '' && !rest.startsWith(', ')) return undefined;
    rest = rest.slice(2);
  }
  return choices.length > 0 ? choices : undefined;
}

/** The word that `text` begins with, which may be in quotes and ends at one of `ends`, and what follows. */
function wordIn(text: string, ...ends: readonly string[]): { word: string; rest: string } | undefined {
  if (text.startsWith('"')) {
    const end = closingQuote(text);
    if (end < 0) return undefined;
    try {
      return { word: String(JSON.parse(text.slice(0, end + 1))), rest: text.slice(end + 1) };
    } catch {
      return undefined;
    }
  }
  const found = ends.map((end) => text.indexOf(end)).filter((at) => at >= 0);
  const at = Math.min(text.length, ...found);
  return at === 0 ? undefined : { word: text.slice(0, at), rest: text.slice(at) };
}

/** Where one of `ends` stands outside of quotes; -1 if none does. */
function endOf(text: string, ends: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') {
      const closing = closingQuote(text.slice(at));
      if (closing < 0) return -1;
      at += closing;
    } else if (ends.includes(text[at] ?? '')) return at;
  }
  return -1;
}

/** Where the quote ends that `text` begins with; -1 if it does not. */
function closingQuote(text: string): number {
  for (let at = 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** Whether `plainText` has left out the end of a word. */
const isCut = (word: string): boolean => /\(cut: \d+ of \d+ characters\)$/.test(word);

function boundedBy(type: Field['type'], least: number | undefined, most: number | undefined): Partial<Field> {
  const given = (low: keyof Field, high: keyof Field) => ({
    ...(least !== undefined && { [low]: least }),
    ...(most !== undefined && { [high]: most }),
  });
  switch (type) {
    case 'number':
    case 'integer':
      return given('minimum', 'maximum');
    case 'array':
      return given('minItems', 'maxItems');
    case 'string':
      return given('minLength', 'maxLength');
    case 'boolean':
      return {};
    default:
      return type satisfies never;
  }
}
