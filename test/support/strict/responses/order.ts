/** Rules of calls, their results and ids in the Responses API. */

import { tooLong } from '../limits.ts';
import { type Fault, firstOf, type Rule } from '../rule.ts';
import type { GivenItems } from './given.ts';
import { itemsOf, typeOf } from './read.ts';

const isCall = (item: Parameters<typeof typeOf>[0]) => typeOf(item) === 'function_call';
const isResult = (item: Parameters<typeof typeOf>[0]) => typeOf(item) === 'function_call_output';

/** The beginning of an item's id, by its type. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  reasoning: 'rs',
  web_search_call: 'ws',
};

export const orderRules: readonly Rule<GivenItems>[] = [
  {
    name: 'there is an item',
    source: 'https://developers.openai.com/api/reference/resources/responses/methods/create',
    check: ({ body }) =>
      itemsOf(body).length > 0
        ? undefined
        : {
            message: "Missing required parameter: 'input'.",
            code: 'missing_required_parameter',
            param: 'input',
          },
  },
  {
    name: 'the call_id has 1 to 64 characters',
    source: 'https://github.com/decolua/9router/issues/393',
    check: ({ body }) =>
      firstOf(itemsOf(body), (item, at): Fault | undefined => {
        if (!isCall(item) && !isResult(item)) return undefined;
        const param = `input[${at}].call_id`;
        if (typeof item.call_id !== 'string' || item.call_id === '')
          return {
            message: `Missing required parameter: '${param}'.`,
            code: 'missing_required_parameter',
            param,
          };
        const { length } = item.call_id;
        return length <= 64 ? undefined : tooLong(param, 64, item.call_id);
      }),
  },
  {
    name: 'every call has a result after it',
    source: 'https://github.com/Azure/azure-sdk-for-python/issues/46092',
    check({ body }) {
      const items = itemsOf(body);
      return firstOf(items, (item, at) =>
        isCall(item) && !items.slice(at + 1).some((one) => isResult(one) && one.call_id === item.call_id)
          ? { message: `No tool output found for function call ${item.call_id}.`, param: 'input' }
          : undefined,
      );
    },
  },
  {
    name: 'every result has a call before it',
    source: 'https://github.com/james-6-23/codex2api/issues/414',
    check({ body }) {
      const items = itemsOf(body);
      return firstOf(items, (item, at) =>
        isResult(item) && !items.slice(0, at).some((one) => isCall(one) && one.call_id === item.call_id)
          ? {
              message: `No tool call found for function call output with call_id ${item.call_id}.`,
              param: 'input',
            }
          : undefined,
      );
    },
  },
  {
    name: 'ids of calls are unique',
    source: 'https://github.com/microsoft/agent-framework-go/issues/783',
    check({ body }) {
      const seen = new Set<unknown>();
      return firstOf(itemsOf(body).filter(isCall), ({ call_id: id }) => {
        if (seen.has(id)) return { message: `Duplicate item found with call_id ${id}.`, param: 'input' };
        seen.add(id);
        return undefined;
      });
    },
  },
  {
    name: 'an id begins as its type says, and has at most 64 letters, digits, _ and -',
    source: 'https://github.com/openai/codex/issues/33176',
    check: ({ body }) =>
      firstOf(itemsOf(body), (item, at): Fault | undefined => {
        const { id } = item;
        if (id === undefined) return undefined;
        const param = `input[${at}].id`;
        const wrong = (why: string): Fault => ({
          message: `Invalid '${param}': '${id}'. ${why}`,
          code: 'invalid_value',
          param,
        });
        if (!/^[A-Za-z0-9_-]+$/.test(String(id)))
          return wrong(
            'Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.',
          );
        if (String(id).length > 64) return wrong('string too long. Expected a string with maximum length 64');
        const beginning = BEGINNINGS[String(typeOf(item))] ?? '';
        return String(id).startsWith(beginning)
          ? undefined
          : wrong(`Expected an ID that begins with '${beginning}'.`);
      }),
  },
  {
    name: 'ids of items are unique',
    source: 'https://github.com/microsoft/agent-framework-go/issues/783',
    check({ body }) {
      const seen = new Set<unknown>();
      return firstOf(itemsOf(body), ({ id }) => {
        if (id === undefined) return undefined;
        if (seen.has(id))
          return {
            message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
            param: 'input',
          };
        seen.add(id);
        return undefined;
      });
    },
  },
];
