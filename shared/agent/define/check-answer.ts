import * as z from 'zod';
import { type AnswerSchema, askedBy } from './answer.ts';

/**
 * Why an answer cannot be asked for, or not be stored; undefined when it can. What comes out of it is sent as JSON, so it must be
 * able to be said in JSON Schema too: no dates, no transforms.
 */
export function wrongAnswer(answer: AnswerSchema): string | undefined {
  const why = unsayable(answer);
  if (why === undefined) return undefined;
  const field = Object.entries(answer.shape).find(([, inner]) => unsayable(inner) !== undefined)?.[0];
  return `answer${field === undefined ? '' : `.${field}`}: ${why}; an answer is JSON, as the model says it and as it is sent on`;
}

/** What JSON Schema has no word for; a part alone may have one where the whole has none. */
function unsayable(schema: z.core.$ZodType): string | undefined {
  try {
    askedBy(schema);
    z.toJSONSchema(schema, { io: 'output' });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
