import * as z from 'zod';
import { memoize } from '../plain/memoize.ts';

/** The schema of a run's answer: a zod object. */
export type AnswerSchema = z.ZodObject;

/**
 * The answer of an agent's runs, as its schema types it: `AnswerOf<typeof triage>`; `unknown` for an agent that declares none.
 */
export type AnswerOf<A> = A extends { readonly answer: infer S extends z.ZodType } ? z.output<S> : unknown;

/**
 * The form in which a definition gives it: also a schema of another copy of zod, as an agent folder with its own node_modules
 * has.
 */
export const Answer = z.custom<AnswerSchema>(
  (value) => value instanceof z.ZodObject || isObjectSchema(value),
  'must be z.object(…)',
);

function isObjectSchema(value: unknown): boolean {
  const inner = (value as { _zod?: { def?: { type?: unknown } } } | null | undefined)?._zod;
  return inner?.def?.type === 'object';
}

/**
 * The schema that the model is asked for, as JSON Schema, before defaults are filled in. Defaults are left out: one may be a
 * function, and the request must be the same in each process. Throws if JSON Schema cannot express it.
 */
export const askedBy = memoize((answer: z.core.$ZodType) =>
  z.toJSONSchema(answer, {
    target: 'draft-2020-12',
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.default;
    },
  }),
);
