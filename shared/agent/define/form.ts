import * as z from 'zod';
import { Form } from '../../contract/form/fields.ts';
import { filledIn } from '../../contract/form/filled-in.ts';
import { formText } from './ask-form.ts';

/** A question with fields, for the `ask` of a tool, and how its answer is read. */
export interface FormQuestion<Value> {
  /**
   * The question as people read it. In Slack it opens a form.
   *
   * @param wrong what was wrong with the last answer
   */
  question(wrong?: string): string;
  /** Reads an answer: the values of a form, or what a person has written. `wrong` is for `question`. */
  read(answer: string): { readonly value: Value } | { readonly wrong: string };
}

/**
 * Declares a question with fields, from a flat schema: texts (also dates, e-mail addresses and links), numbers, booleans, enums and lists
 * of enums. Throws if it is not flat.
 */
export function defineForm<Fields extends z.ZodObject>(
  question: string,
  fields: Fields,
): FormQuestion<z.output<Fields>> {
  const form = formOf(fields);
  return {
    question: (wrong) => formText(question, form, wrong),
    read(answer) {
      const filled = filledIn(form, answer);
      if ('wrong' in filled) return filled;
      const { success, data, error } = fields.safeParse(filled.content);
      if (success) return { value: data };
      const [issue] = error.issues;
      return { wrong: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}` };
    },
  };
}

function formOf(fields: z.ZodObject): Form {
  const { data } = Form.safeParse(z.toJSONSchema(fields, { io: 'input', unrepresentable: 'any' }));
  if (!data)
    throw new Error(
      'a form has flat fields: texts, numbers, booleans, enums and lists of enums. Ask for the rest in a question of its own.',
    );
  return { ...data, properties: Object.fromEntries(Object.entries(data.properties).map(bounded)) };
}

/** Without the bounds that every integer of JavaScript has. */
const bounded = ([name, field]: [string, Form['properties'][string]]) => {
  const { minimum, maximum, ...rest } = field;
  return [
    name,
    {
      ...rest,
      ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && { minimum }),
      ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && { maximum }),
    },
  ] as const;
};
