import { type Fault, type Fields, fieldsIn } from './rule.ts';

/** The fault of a request with more than 128 tools, in OpenAI's words. */
export function tooManyTools(body: Fields): Fault | undefined {
  const count = fieldsIn(body.tools).length;
  return count <= 128
    ? undefined
    : {
        message: `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${count} instead.`,
        code: 'array_above_max_length',
        param: 'tools',
      };
}

/** The fault of a text that is longer than `most`, in OpenAI's words. */
export const tooLong = (param: string, most: number, text: unknown): Fault => ({
  message: `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${String(text).length} instead.`,
  code: 'string_above_max_length',
  param,
});
