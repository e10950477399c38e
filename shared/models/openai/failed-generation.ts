import { APIError } from 'openai/error';
import { isObject, type Json, stringAt } from '../common/json.ts';

/** Groq's code for a call that the model has written in a form that is none. */
const CODE = 'tool_use_failed';
/** Characters of the call that the model is shown again. */
const SHOWN = 200;

/**
 * The malformed call that an error reports. Groq answers 400 in place of the model's reply
 * (pydantic/pydantic-ai#4354, huggingface/smolagents#1119): the request was right, and no part of it is to blame.
 *
 * @param body `{ error: { … } }`
 */
export function failedCallIn({ error }: Json): string | undefined {
  if (!isObject(error) || error.code !== CODE) return undefined;
  return (stringAt(error, 'failed_generation') ?? CODE).slice(0, SHOWN);
}

/** Such an error as a response, for the reply to be read from it. Rejects with any other error. */
export function asReply(error: unknown): Response {
  if (!(error instanceof APIError)) throw error;
  const body = { error: error.error };
  if (!failedCallIn(body as Json)) throw error;
  return Response.json(body);
}
