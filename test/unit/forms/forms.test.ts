import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { askForm } from '../../../shared/agent/define/ask-form.ts';
import { defineForm } from '../../../shared/agent/define/form.ts';
import { questionOf } from '../../../shared/agent/tools/asking.ts';
import { Form } from '../../../shared/contract/form/fields.ts';
import { filledIn } from '../../../shared/contract/form/filled-in.ts';
import { answerLine, linesOf } from '../../../shared/contract/form/lines.ts';
import { formIn } from '../../../shared/contract/form/read.ts';

const asText = (form: Form) => ['Fill it in:', ...linesOf(form), `${answerLine(2)}.`].join('\n');

describe('a form', () => {
  test.each([
    ['a text', { type: 'string' }, 'f (text)'],
    ['a bounded text', { type: 'string', minLength: 2, maxLength: 9 }, 'f (text; at least 2; at most 9)'],
    ['a number', { type: 'number', minimum: -1.5 }, 'f (number; at least -1.5)'],
    ['an integer', { type: 'integer', maximum: 3 }, 'f (integer; at most 3)'],
    ['a yes or no', { type: 'boolean' }, 'f (yes or no)'],
    ['a date', { type: 'string', format: 'date' }, 'f (date)'],
    ['a moment', { type: 'string', format: 'date-time' }, 'f (date and time)'],
    ['an address', { type: 'string', format: 'email' }, 'f (e-mail address)'],
    ['a link', { type: 'string', format: 'uri' }, 'f (link)'],
    [
      'a choice',
      { type: 'string', oneOf: [{ const: 'S' }, { const: 'L', title: 'Large' }] },
      'f (one of S, L = Large)',
    ],
    [
      'choices that read as more than one word',
      { type: 'string', oneOf: [{ const: 'a, b' }, { const: 'c) d', title: '"e"; f = g' }] },
      'f (one of "a, b", "c) d" = "\\"e\\"; f = g")',
    ],
    [
      'several choices',
      { type: 'array', items: { anyOf: [{ const: 'x' }, { const: 'and more' }] }, minItems: 1 },
      'f (any of x, "and more", with commas between; at least 1)',
    ],
  ] as const)('reads back from its text: %s', (_what, field, words) => {
    const form = Form.parse({ properties: { f: field }, required: ['f'] });
    expect(linesOf(form)).toEqual([`- ${words}`]);
    expect(formIn(asText(form))).toEqual({ form, words: 'Fill it in:' });
  });

  test('reads back with odd names, descriptions and fields that may be left out', () => {
    const form = Form.parse({
      properties: {
        'your (first) name': { type: 'string', description: 'As in: your passport (or card)' },
        constructor: { type: 'integer' },
        'a: b; c': { type: 'boolean' },
      },
      required: ['constructor'],
    });
    expect(formIn(asText(form))).toEqual({ form, words: 'Fill it in:' });
  });

  test('with too many or too long choices leaves the answer free, and with a cut name has no form', () => {
    const many = Form.parse({
      properties: { f: { type: 'string', enum: Array.from({ length: 31 }, (_, i) => `v${i}`) } },
    });
    expect(formIn(asText(many))?.form.properties).toEqual({ f: { type: 'string' } });
    const long = Form.parse({ properties: { f: { type: 'string', enum: ['x'.repeat(61), 'y'] } } });
    expect(formIn(asText(long))?.form.properties).toEqual({ f: { type: 'string' } });
    expect(
      formIn(asText(Form.parse({ properties: { ['x'.repeat(61)]: { type: 'string' } } }))),
    ).toBeUndefined();
    const more = Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`f${i}`, { type: 'string' }]));
    expect(formIn(asText(Form.parse({ properties: more })))).toBeUndefined();
  });

  test.each([
    ['a question', 'Which one?'],
    ['options', 'Which one?\n- red\n- green'],
    ['options before other words', '- red (text)\nor\nAnswer.'],
    ['a field twice', '- a (text)\n- a (integer)\nAnswer.'],
    ['an unknown kind', '- a (colour)\nAnswer.'],
    ['an open quote', '- "a (text)\nAnswer.'],
    ['no end', '- a (one of b, c\nAnswer.'],
    ['nothing', ''],
  ])('is not found in %s', (_what, text) => {
    expect(formIn(text)).toBeUndefined();
  });

  test('is found in time, whatever stands there', () => {
    for (const odd of ['"', '\\', '(', ';', ' = ', '- a (one of '])
      expect(formIn(`- a (one of ${odd.repeat(20_000)}\nAnswer.`)).toBeUndefined();
  });

  const of = (field: object) => Form.parse({ properties: { f: field } });
  test.each([
    ['a date', { type: 'string', format: 'date' }, '2028-02-29', '2028-02-29'],
    ['a day that does not exist', { type: 'string', format: 'date' }, '2027-02-29', undefined],
    ['a moment', { type: 'string', format: 'date-time' }, '2027-02-28 10:00', '2027-02-28T10:00Z'],
    [
      'a moment with a zone',
      { type: 'string', format: 'date-time' },
      '2027-02-28T10:00:01+02:00',
      '2027-02-28T10:00:01+02:00',
    ],
    ['words for a moment', { type: 'string', format: 'date-time' }, 'tomorrow', undefined],
    ['an address', { type: 'string', format: 'email' }, ' a@b.example ', 'a@b.example'],
    ['half an address', { type: 'string', format: 'email' }, 'a@b', undefined],
    ['a link', { type: 'string', format: 'uri' }, 'https://a.example', 'https://a.example'],
    ['no link', { type: 'string', format: 'uri' }, 'a', undefined],
  ])('checks %s', (_what, field, written, value) => {
    const filled = filledIn(of(field), written);
    if (value === undefined) expect(filled).toHaveProperty('wrong');
    else expect(filled).toEqual({ content: { f: value } });
  });
});

describe('ask_form', () => {
  const asked = (fields: object[], question = 'Which shirts?') =>
    questionOf({ callId: 'c', name: 'ask_form', input: { question, fields } } as never, askForm as never);

  test('asks with its fields, which open as a form', () => {
    const ask = asked([
      { name: 'size', kind: 'choice', options: ['S', 'M'] },
      { name: 'how many', kind: 'integer', at_least: 1, required: false, about: 'In all' },
    ]);
    expect(ask?.message).toBe(
      [
        'Which shirts?',
        '- size (one of S, M)',
        '- how many (integer; at least 1; may be left out): In all',
        'Answer with a line for each, "name: value".',
      ].join('\n'),
    );
    expect(Object.keys(formIn(ask?.message ?? '')?.form.properties ?? {})).toEqual(['size', 'how many']);
  });

  test.each(['Which one?\n- red\n- blue', 'Which one?\n- evil (text)'])(
    'opens as a form with its own fields alone, also if the question ends with a list',
    (question) => {
      const read = formIn(asked([{ name: 'size', kind: 'text' }], question)?.message ?? '');
      expect(Object.keys(read?.form.properties ?? {})).toEqual(['size']);
      expect(read?.words).toBe(question);
    },
  );

  test.each([
    ['no field', []],
    ['a choice without options', [{ name: 'a', kind: 'choice' }]],
    [
      'two fields of one name',
      [
        { name: 'a', kind: 'text' },
        { name: 'a', kind: 'date' },
      ],
    ],
    ['an unknown kind', [{ name: 'a', kind: 'colour' }]],
  ])('asks no one with %s', (_what, fields) => {
    expect(asked(fields)).toBeUndefined();
  });
});

describe('defineForm', () => {
  const form = defineForm(
    'Which shirts?',
    z.object({
      size: z.enum(['S', 'M']),
      count: z.int().min(1).describe('In all'),
      by: z.iso.date().optional(),
      gift: z.boolean().default(false),
    }),
  );

  test('asks with the fields of its schema', () => {
    expect(form.question('size is missing').split('\n')).toEqual([
      'The last answer could not be used: size is missing.',
      'Which shirts?',
      '- size (one of S, M)',
      '- count (integer; at least 1): In all',
      '- by (date; may be left out)',
      '- gift (yes or no; may be left out)',
      'Answer with a line for each, "name: value".',
    ]);
  });

  test('reads the values of a form, and what people write', () => {
    const value = { size: 'M', count: 2, gift: false };
    expect(form.read('{"size":"M","count":2}')).toEqual({ value });
    expect(form.read('Size: m\n- count: 2')).toEqual({ value });
    expect(form.read('size: L\ncount: 2')).toEqual({ wrong: 'size must be one of S, M' });
    expect(form.read('count: 2')).toEqual({ wrong: 'size is missing' });
  });

  test('refuses a schema that is not flat', () => {
    expect(() => defineForm('x', z.object({ a: z.object({ b: z.string() }) }))).toThrow(
      'a form has flat fields',
    );
  });
});
