import { type AnswerSchema, askedBy } from './answer.ts';

/** A session's pinned answer: its schema, and the system text that asks for it. */
export function pinAnswer(answer: AnswerSchema, system: string) {
  const schema = askedBy(answer);
  return { answer: { schema }, system: `${system}\n\n${asking(JSON.stringify(schema))}` };
}

/**
 * Told to every model, even if its server can also enforce a schema: servers differ in this, and some ignore it. It is part of
 * the prompt from the beginning, so the prefix does not depend on the server's options.
 */
const asking = (schema: string): string =>
  `[steploop] Your answer is read by a program. When your work is done, reply with one JSON object and nothing else: no text around it, no code fence. Until then work with your tools as always. The object must fit this JSON Schema:\n${schema}`;
