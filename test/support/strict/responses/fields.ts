/** Rules of the fields of a request of the Responses API. */

import { type Fault, type Fields, firstOf, type Rule, unknownKey } from '../rule.ts';
import type { GivenItems } from './given.ts';
import { itemsOf, partsOf, typeOf } from './read.ts';

const DOCS = 'https://developers.openai.com/api/reference/resources/responses/methods/create';

/** `ResponseCreateParamsBase` of the SDK. */
const BODY = new Set(
  `access_programs background context_management conversation image include input instructions max_output_tokens
  max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key
  prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options
  temperature text tool_choice tools top_logprobs top_p truncation user`.split(/\s+/),
);

const INCLUDABLE = new Set([
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
]);

/** Fields of an item, by its type. */
const ITEM: Readonly<Record<string, ReadonlySet<string>>> = {
  message: new Set(['type', 'role', 'content', 'id', 'status', 'phase']),
  function_call: new Set([
    ...['type', 'call_id', 'name', 'arguments', 'id', 'status', 'namespace', 'async', 'caller'],
  ]),
  function_call_output: new Set(['type', 'call_id', 'output', 'id', 'status', 'name', 'namespace', 'caller']),
  reasoning: new Set(['type', 'id', 'summary', 'content', 'encrypted_content']),
  web_search_call: new Set(['type', 'id', 'status', 'action']),
  code_interpreter_call: new Set(['type', 'id', 'status', 'code', 'container_id', 'outputs']),
};

const PART: Readonly<Record<string, ReadonlySet<string>>> = {
  input_text: new Set(['type', 'text']),
  input_image: new Set(['type', 'image_url', 'file_id', 'detail']),
  input_file: new Set(['type', 'filename', 'file_data', 'file_id', 'file_url', 'detail']),
  output_text: new Set(['type', 'text', 'annotations', 'logprobs']),
  refusal: new Set(['type', 'refusal']),
};

const unknown = (param: string): Fault => ({
  message: `Unknown parameter: '${param}'.`,
  code: 'unknown_parameter',
  param,
});

export const fieldRules: readonly Rule<GivenItems>[] = [
  {
    name: 'the body has the fields of the API',
    source: DOCS,
    check({ body }) {
      const key = unknownKey(body, BODY);
      if (key === 'messages')
        return {
          message:
            "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'. Try again with the new parameter.",
          code: 'unsupported_parameter',
        };
      return key === undefined ? undefined : unknown(key);
    },
  },
  {
    name: 'an item has the fields of its type',
    source: 'https://github.com/1jehuang/jcode/issues/1028',
    check: ({ body }) =>
      firstOf(itemsOf(body), (item, at): Fault | undefined => {
        const type = typeOf(item);
        const known = ITEM[String(type)];
        if (!known)
          return {
            message: `Invalid value: '${type}'. Supported values are: ${Object.keys(ITEM).join(', ')}.`,
            code: 'invalid_value',
            param: `input[${at}]`,
          };
        const key = unknownKey(item, known);
        return key === undefined ? undefined : unknown(`input[${at}].${key}`);
      }),
  },
  {
    name: 'a part has the fields of its type',
    source: 'https://github.com/pydantic/pydantic-ai/issues/3653',
    check: ({ body }) =>
      firstOf(itemsOf(body), (item, at) =>
        typeOf(item) === 'reasoning'
          ? undefined
          : firstOf(partsOf(item), (part, i) => {
              const known = PART[String(part.type)];
              const key = known && unknownKey(part, known);
              return key === undefined ? undefined : unknown(`input[${at}].content[${i}].${key}`);
            }),
      ),
  },
  {
    name: 'the model is named',
    source: DOCS,
    check: ({ body: { model } }) =>
      typeof model === 'string' && model !== ''
        ? undefined
        : {
            message: "Missing required parameter: 'model'.",
            code: 'missing_required_parameter',
            param: 'model',
          },
  },
  {
    name: 'max_output_tokens is a whole number from 16 on',
    source: 'https://github.com/vectorize-io/hindsight/issues/58',
    check({ body: { max_output_tokens: most } }) {
      if (most === undefined || most === null) return undefined;
      const param = 'max_output_tokens';
      if (!Number.isInteger(most))
        return { message: `Invalid type for '${param}': expected an integer.`, code: 'invalid_type', param };
      return Number(most) >= 16
        ? undefined
        : {
            message: `Invalid '${param}': integer below minimum value. Expected a value >= 16, but got ${most} instead.`,
            code: 'integer_below_min_value',
            param,
          };
    },
  },
  {
    name: 'include names what can be included',
    source: DOCS,
    check: ({ body: { include } }) =>
      firstOf(Array.isArray(include) ? include : [], (one, at) =>
        INCLUDABLE.has(one)
          ? undefined
          : { message: `Invalid value: '${one}'.`, code: 'invalid_value', param: `include[${at}]` },
      ),
  },
  {
    name: 'a format is in strict form',
    source: 'https://developers.openai.com/api/docs/guides/structured-outputs',
    check({ body: { text } }) {
      const format = (text as { readonly format?: Fields } | undefined)?.format;
      if (format?.type !== 'json_schema') return undefined;
      const schema = format.schema as Fields | undefined;
      if (typeof format.name !== 'string')
        return {
          message: "Missing required parameter: 'text.format.name'.",
          code: 'missing_required_parameter',
          param: 'text.format.name',
        };
      return format.strict === true && schema?.additionalProperties !== false
        ? {
            message: `Invalid schema for response_format '${format.name}': In context=(), 'additionalProperties' is required to be supplied and to be false.`,
            code: 'invalid_json_schema',
            param: 'text.format.schema',
          }
        : undefined;
    },
  },
];
