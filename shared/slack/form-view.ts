/**
 * A question with fields as a Slack modal, and what a person has entered in it (docs.slack.dev, "Modals", "Input block"). Both are made of
 * the question's text, so an answer is read by the form that the person was shown.
 */

import { own } from '../agent/plain/merge.ts';
import { boundsOf, choicesOf, type Field, type Form } from '../contract/form/fields.ts';
import { mustBe, valueFor } from '../contract/form/filled-in.ts';
import { clipped, context } from './kit.ts';
import type { Block } from './outgoing.ts';
import type { Entered } from './submission.ts';

/** Name of the modal. */
export const FORM = 'steploop.form';
/** Characters of an answer: `MAX_NOTE` of `contract/http.ts`, which brings the schemas of all routes. */
export const MAX_ANSWER = 2_000;
/** Name of the element in each block. */
const VALUE = 'value';
/** Characters of a section's plain text (Block Kit: 3,000), of an option (75), and of a hint (2,000). */
const TEXT = 2_900;
const OPTION = 75;
const HINT = 500;

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
/** Slack takes no text without characters. */
const words = (text: string): string => (text.trim() === '' ? '(empty)' : text);
const blockOf = (index: number): string => `field-${index}`;

/**
 * The modal of a form and of the question around it.
 *
 * @param handle leads to the question when the modal is submitted (`private_metadata`)
 */
export function formView({ form, words: around }: { form: Form; words: string }, handle: string): Block {
  const { properties, required = [] } = form;
  return {
    type: 'modal',
    callback_id: FORM,
    private_metadata: handle,
    title: plain('Answer'),
    submit: plain('Send'),
    close: plain('Cancel'),
    blocks: [
      ...(around === '' ? [] : [{ type: 'section', text: plain(clipped(around, TEXT)) }]),
      ...Object.entries(properties).map(([name, field], i) => ({
        type: 'input',
        block_id: blockOf(i),
        label: plain(words(name)),
        optional: !required.includes(name),
        ...(field.description && { hint: plain(clipped(field.description, HINT)) }),
        element: { action_id: VALUE, ...elementOf(field) },
      })),
      context('The answer is shown to the agent, and counts once.'),
    ],
  };
}

/** The modal in place of a form that cannot be submitted any more. */
export const closedView = (text: string): Block => ({
  type: 'modal',
  callback_id: 'steploop.closed',
  title: plain('Answer'),
  close: plain('Close'),
  blocks: [{ type: 'section', text: plain(clipped(text, TEXT)) }],
});

function elementOf(field: Field): Block {
  const { least, most } = boundsOf(field);
  const { type, format } = field;
  const options = (type === 'boolean' ? YES_NO : choicesOf(field)).map(({ value, label }, i) => ({
    text: plain(clipped(words(label ?? value), OPTION)),
    // The text of a choice may be longer than the value of an option may be.
    value: String(i),
  }));
  if (type === 'array')
    return {
      type: 'multi_static_select',
      options,
      ...(most !== undefined && most >= 1 && { max_selected_items: Math.floor(most) }),
    };
  if (options.length > 0) return { type: 'static_select', options };
  if (type === 'number' || type === 'integer')
    return {
      type: 'number_input',
      is_decimal_allowed: type === 'number',
      ...numberBounds(type, least, most),
    };
  switch (format) {
    case 'date':
      return { type: 'datepicker' };
    case 'date-time':
      return { type: 'datetimepicker' };
    case 'email':
      return { type: 'email_text_input' };
    case 'uri':
      return { type: 'url_text_input' };
    case undefined: {
      const room = Math.max(1, Math.min(most ?? MAX_ANSWER, MAX_ANSWER));
      return {
        type: 'plain_text_input',
        multiline: room > 200,
        max_length: room,
        ...(least !== undefined && least > 0 && least <= room && { min_length: Math.floor(least) }),
      };
    }
    default:
      return format satisfies never;
  }
}

/**
 * The bounds of a number input, without those that Slack takes for a broken view (docs.slack.dev, "Number input"): other than plain
 * digits, decimals of an integer, and a minimum above the maximum. The form is checked again when it is submitted.
 */
function numberBounds(
  type: 'number' | 'integer',
  least: number | undefined,
  most: number | undefined,
): object {
  const isWhole = type === 'integer';
  const min = isWhole && least !== undefined ? Math.ceil(least) : least;
  const max = isWhole && most !== undefined ? Math.floor(most) : most;
  if (min !== undefined && max !== undefined && min > max) return {};
  return {
    ...(min !== undefined && isPlain(min) && { min_value: String(min) }),
    ...(max !== undefined && isPlain(max) && { max_value: String(max) }),
  };
}

const isPlain = (bound: number): boolean => /^-?\d+(?:\.\d+)?$/.test(String(bound));

const YES_NO = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];

/** The answer as JSON, of which people and models read the values by name; or what is wrong, by the block. */
export type Submitted = { readonly answer: string } | { readonly errors: Readonly<Record<string, string>> };

/** Reads what was entered. Slack has checked it, as far as it is Slack who sends it. */
export function submitted(
  { properties, required = [] }: Form,
  state: Readonly<Record<string, Readonly<Record<string, Entered>>>>,
): Submitted {
  const errors = new Map<string, string>();
  const values = Object.entries(properties).flatMap(([name, field], i) => {
    const block = blockOf(i);
    const given = enteredIn(field, own(own(state, block) ?? {}, VALUE));
    if (given === undefined) {
      if (required.includes(name)) errors.set(block, 'Please fill this in.');
      return [];
    }
    const value = valueFor(field, given);
    if (value === undefined) errors.set(block, clipped(`It must be ${mustBe(field)}.`, HINT));
    return value === undefined ? [] : [[name, value] as const];
  });
  const answer = JSON.stringify(Object.fromEntries(values));
  const longest = values.toSorted(([, a], [, b]) => lengthOf(b) - lengthOf(a))[0];
  if (errors.size === 0 && answer.length > MAX_ANSWER && longest) {
    const room = MAX_ANSWER.toLocaleString('en');
    const at = blockOf(Object.keys(properties).indexOf(longest[0]));
    errors.set(at, `All fields together have room for ${room} characters. Please shorten this.`);
  }
  return errors.size > 0 ? { errors: Object.fromEntries(errors) } : { answer };
}

const lengthOf = (value: unknown): number => JSON.stringify(value ?? null).length;

/** The entry as text, or as the chosen values; undefined if nothing was. An option that the form does not have is ''. */
function enteredIn(field: Field, entered: Entered | undefined): string | string[] | undefined {
  const {
    value,
    selected_option: one,
    selected_options: some,
    selected_date: date,
    selected_date_time: at,
  } = entered ?? {};
  const choices = field.type === 'boolean' ? YES_NO : choicesOf(field);
  const chosen = (option: { value: string }) => choices[Number(option.value)]?.value ?? '';
  if (field.type === 'array') return some && some.length > 0 ? some.map(chosen) : undefined;
  if (choices.length > 0) return one ? chosen(one) : undefined;
  if (field.format === 'date') return date ?? undefined;
  if (field.format === 'date-time')
    return typeof at === 'number'
      ? new Date(Math.min(Math.max(0, at), 8_640_000_000_000) * 1_000).toISOString()
      : undefined;
  return value?.trim() ? value : undefined;
}
