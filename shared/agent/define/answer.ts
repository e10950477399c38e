import * as z from 'zod';
import { memoize } from '../plain/memoize.ts';

/** What the answer of a run is held to: an object of zod. */
export type AnswerSchema = z.ZodObject;

/** The answer of an agent's runs, as its schema types it: `AnswerOf<typeof triage>`; `unknown` of an agent that declares none. */
export type AnswerOf<A> = A extends { readonly answer: infer S extends z.ZodType } ? z.output<S> : unknown;

/** As a definition may give it: also a schema of another copy of zod, as an agent folder with its own node_modules brings. */
export const Answer = z.custom<AnswerSchema>(
  (value) => value instanceof z.ZodObject || isObjectSchema(value),
  'must be z.object(…)',
);

function isObjectSchema(value: unknown): boolean {
  const inner = (value as { _zod?: { def?: { type?: unknown } } } | null | undefined)?._zod;
  return inner?.def?.type === 'object';
}

/**
 * What the model is asked for, as JSON Schema: before defaults are filled in. They are not named: one may be a function, and what is
 * asked for must be the same in each process. Throws when it cannot be said so.
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

/** A session's pinned answer: its schema, and the system text that asks for it. */
export function pinAnswer(answer: AnswerSchema, system: string) {
  const schema = askedBy(answer);
  return { answer: { schema }, system: `${system}\n\n${asking(JSON.stringify(schema))}` };
}

/**
 * Said to every model, also to one whose server is asked for it by its own means: what servers do of that differs, and some take
 * no notice. It is part of the prompt from the beginning, so nothing of the prefix hangs on what the server is asked.
 */
const asking = (schema: string): string =>
  `[steploop] Your answer is read by a program. When your work is done, reply with one JSON object and nothing else: no text around it, no code fence. Until then work with your tools as always. The object must fit this JSON Schema:\n${schema}`;
