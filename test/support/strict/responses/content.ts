/** Rules of the content of messages and results in the Responses API. */

import { tooLong } from '../limits.ts';
import { type Fault, firstOf, type Rule } from '../rule.ts';
import type { GivenItems } from './given.ts';
import { itemsOf, partsOf, typeOf } from './read.ts';

const DOCS = 'https://developers.openai.com/api/reference/resources/responses/methods/create';

const OF_USER = ['input_text', 'input_image', 'input_file'];
const OF_ASSISTANT = ['output_text', 'refusal'];

const DATA_URL = /^data:[\w.+-]+\/[\w.+-]+;base64,[A-Za-z0-9+/]*={0,2}$/;

export const contentRules: readonly Rule<GivenItems>[] = [
  {
    name: 'a message has a role of the API, and content',
    source: DOCS,
    check: ({ body }) =>
      firstOf(itemsOf(body), (item, at): Fault | undefined => {
        if (typeOf(item) !== 'message') return undefined;
        const { role, content } = item;
        if (!['user', 'assistant', 'system', 'developer'].includes(String(role)))
          return { message: `Invalid value: '${role}'.`, code: 'invalid_value', param: `input[${at}].role` };
        const isEmpty =
          content === undefined ||
          content === null ||
          content === '' ||
          (Array.isArray(content) && content.length === 0);
        return isEmpty
          ? {
              message: `Invalid 'input[${at}].content': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
              code: 'empty_array',
              param: `input[${at}].content`,
            }
          : undefined;
      }),
  },
  {
    name: 'parts are those of their role',
    source: 'https://github.com/jeremychone/rust-genai/pull/119',
    check: ({ body }) =>
      firstOf(itemsOf(body), (item, at) => {
        const type = typeOf(item);
        if (type !== 'message' && type !== 'function_call_output') return undefined;
        const known = item.role === 'assistant' ? OF_ASSISTANT : OF_USER;
        const wrong = partsOf(item).findIndex((part) => !known.includes(String(part.type)));
        return wrong < 0
          ? undefined
          : {
              message: `Invalid value: '${partsOf(item)[wrong]?.type}'. Supported values are: ${known.map((one) => `'${one}'`).join(', ')}.`,
              code: 'invalid_value',
              param: `input[${at}].content[${wrong}]`,
            };
      }),
  },
  {
    name: 'an image is an address or data, and a file has a name and data',
    source: 'https://developers.openai.com/api/docs/guides/pdf-files',
    check: ({ body }) =>
      firstOf(itemsOf(body), (item, at) =>
        firstOf(partsOf(item), (part, i): Fault | undefined => {
          const param = `input[${at}].content[${i}]`;
          if (part.type === 'input_image') {
            const url = String(part.image_url);
            return part.file_id || /^https:\/\//.test(url) || DATA_URL.test(url)
              ? undefined
              : {
                  message: `Invalid '${param}.image_url'. Expected a valid URL, but got a value with an invalid format.`,
                  code: 'invalid_value',
                  param: `${param}.image_url`,
                };
          }
          if (part.type !== 'input_file' || part.file_id || part.file_url) return undefined;
          if (typeof part.filename !== 'string' || part.filename === '')
            return {
              message: `Missing required parameter: '${param}.filename'.`,
              code: 'missing_required_parameter',
              param: `${param}.filename`,
            };
          return DATA_URL.test(String(part.file_data))
            ? undefined
            : {
                message: `Invalid '${param}.file_data'. Expected a base64-encoded data URL with a MIME type.`,
                code: 'invalid_value',
                param: `${param}.file_data`,
              };
        }),
      ),
  },
  {
    name: 'arguments and results are there, as text',
    source: DOCS,
    check: ({ body }) =>
      firstOf(itemsOf(body), (item, at): Fault | undefined => {
        const type = typeOf(item);
        if (type === 'function_call' && typeof item.arguments !== 'string')
          return {
            message: `Invalid type for 'input[${at}].arguments': expected a string.`,
            code: 'invalid_type',
            param: `input[${at}].arguments`,
          };
        const isResult = type === 'function_call_output';
        return isResult && typeof item.output !== 'string' && !Array.isArray(item.output)
          ? {
              message: `Missing required parameter: 'input[${at}].output'.`,
              code: 'missing_required_parameter',
              param: `input[${at}].output`,
            }
          : undefined;
      }),
  },
  {
    name: 'a text has at most 10,485,760 characters',
    source: DOCS,
    check: ({ body }) =>
      firstOf(itemsOf(body), ({ content, output }, at) => {
        const text = content ?? output;
        return typeof text === 'string' && text.length > 10_485_760
          ? tooLong(`input[${at}].content`, 10_485_760, text)
          : undefined;
      }),
  },
];
