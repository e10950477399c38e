import * as z from 'zod';
import { type AnswerSchema, askedBy } from './answer.ts';

/**
 * Why an answer cannot be asked for, or not be stored; undefined when it can. What comes out of it is sent as JSON, so it must be
 * able to be said in JSON Schema too: no dates, no transforms.
 */
export function wrongAnswer(answer: AnswerSchema): string | undefined {
  try {
    askedBy(answer);
    z.toJSONSchema(answer, { io: 'output' });
    return undefined;
  } catch (error) {
    return `answer: ${error instanceof Error ? error.message : String(error)}; an answer is JSON, as the model says it and as it is sent on`;
  }
}
