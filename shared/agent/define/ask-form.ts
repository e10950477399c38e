import * as z from 'zod';
import type { Field } from '../../contract/form/fields.ts';
import { answerLine, kinds, linesOf } from '../../contract/form/lines.ts';
import { defineTool } from './tool.ts';

const freeKinds = Object.keys(kinds) as [keyof typeof kinds, ...(keyof typeof kinds)[]];

const AskedField = z.object({
  name: z.string().trim().min(1).max(60),
  kind: z.enum([...freeKinds, 'choice', 'choices']),
  about: z.string().max(200).optional(),
  /** For `choice` and `choices`. */
  options: z.array(z.string().trim().min(1).max(60)).max(30).optional(),
  required: z.boolean().default(true),
  /** Bounds of a number, of a text's characters, or of how many are chosen. */
  at_least: z.number().optional(),
  at_most: z.number().optional(),
});
type AskedField = z.output<typeof AskedField>;

/**
 * Asks the people of the session for several values at once. The run waits for the answer without compute. In Slack a form opens, whose
 * values come as JSON; elsewhere people write a line for each field.
 */
export const askForm = defineTool({
  name: 'ask_form',
  description:
    'Ask the user for several values at once, with a form, and wait for the answer. Use it when you cannot go on without them. The answer is JSON, or what the user has written.',
  effect: 'read',
  where: 'person',
  input: z
    .object({
      question: z.string().min(1).max(2_000),
      fields: z
        .array(AskedField)
        .min(1)
        .max(10)
        .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, {
          error: 'Each field needs a name of its own.',
        })
        .refine((fields) => fields.every(({ kind, options = [] }) => isFree(kind) || options.length > 0), {
          error: 'A choice needs options.',
        }),
    })
    // People read the question with its fields.
    .transform(({ question, fields }) => ({
      question: formText(question, {
        properties: Object.fromEntries(fields.map((field) => [field.name, fieldOf(field)])),
        required: fields.flatMap(({ name, required }) => (required ? [name] : [])),
      }),
    })),
  run: () => {
    throw new Error('a person answers this');
  },
});

/** A question with the fields of a form, as people read it. */
export const formText = (question: string, form: Parameters<typeof linesOf>[0], wrong?: string): string => {
  const lines = linesOf(form);
  return [
    ...(wrong === undefined ? [] : [`The last answer could not be used: ${wrong}.`]),
    question,
    // The fields are the lines right above the answer, so a list at the end of the question would count as some of them.
    ...(question.split('\n').at(-1)?.startsWith('- ') ? [''] : []),
    ...lines,
    `${answerLine(lines.length)}.`,
  ].join('\n');
};

const isFree = (kind: AskedField['kind']): kind is keyof typeof kinds => Object.hasOwn(kinds, kind);

function fieldOf({ kind, about, options = [], at_least: least, at_most: most }: AskedField): Field {
  const description = about === undefined ? {} : { description: about };
  const within = (low: keyof Field, high: keyof Field) => ({
    ...(least !== undefined && { [low]: least }),
    ...(most !== undefined && { [high]: most }),
  });
  if (kind === 'choice') return { type: 'string', enum: options, ...description };
  if (kind === 'choices')
    return { type: 'array', items: { enum: options }, ...within('minItems', 'maxItems'), ...description };
  const free: Pick<Field, 'type' | 'format'> = kinds[kind];
  const isNumber = free.type === 'number' || free.type === 'integer';
  const bounded = isNumber
    ? within('minimum', 'maximum')
    : free.type === 'string' && free.format === undefined
      ? within('minLength', 'maxLength')
      : {};
  return { ...free, ...bounded, ...description };
}
