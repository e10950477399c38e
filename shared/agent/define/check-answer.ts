import * as z from 'zod';
import { type AnswerSchema, askedBy } from './answer.ts';

/**
 * Why an answer cannot be asked for or stored; undefined if it can. Its output is sent as JSON, so JSON Schema must be able to
 * express that too: no dates, no transforms.
 */
export function wrongAnswer(answer: AnswerSchema): string | undefined {
  const why = unsayable(answer);
  if (why === undefined) return undefined;
  const field = Object.entries(answer.shape).find(([, inner]) => unsayable(inner) !== undefined)?.[0];
  return `answer${field === undefined ? '' : `.${field}`}: ${why}; an answer must be JSON, both as the model writes it and as it is sent on`;
}

/** Why JSON Schema cannot express a schema. Each part may be expressible even if the whole is not. */
function unsayable(schema: z.core.$ZodType): string | undefined {
  try {
    askedBy(schema);
    z.toJSONSchema(schema, { io: 'output' });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
