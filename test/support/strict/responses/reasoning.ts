/** Rules of reasoning in the Responses API, for requests that store nothing. */

import { type Fault, firstOf, type Rule } from '../rule.ts';
import type { GivenItems } from './given.ts';
import { itemsOf, typeOf } from './read.ts';

const isReasoning = (item: Parameters<typeof typeOf>[0]) => typeOf(item) === 'reasoning';

export const reasoningRules: readonly Rule<GivenItems>[] = [
  {
    name: 'reasoning has its summary, and no plain text beside what is encrypted',
    source: 'https://github.com/microsoft/agent-framework-go/issues/783',
    check: ({ body }) =>
      firstOf(itemsOf(body), (item, at): Fault | undefined => {
        if (!isReasoning(item)) return undefined;
        if (!Array.isArray(item.summary))
          return {
            message: `Missing required parameter: 'input[${at}].summary'.`,
            code: 'missing_required_parameter',
            param: `input[${at}].summary`,
          };
        return Array.isArray(item.content) && item.content.length > 0
          ? {
              message: `Invalid 'input[${at}].content': array too long. Expected an array with maximum length 0, but got an array with length ${item.content.length} instead.`,
              code: 'array_above_max_length',
              param: `input[${at}].content`,
            }
          : undefined;
      }),
  },
  {
    name: 'reasoning that is not stored comes back in its encrypted form',
    source: 'https://github.com/vercel/ai/issues/7543',
    check: ({ body }) =>
      firstOf(itemsOf(body), (item) =>
        isReasoning(item) && body.store === false && !item.encrypted_content
          ? {
              status: 404,
              message: `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
              param: 'input',
            }
          : undefined,
      ),
  },
  {
    name: 'what is encrypted is what the server has encrypted',
    source: 'https://github.com/openai/codex/issues/8119',
    check: ({ body, given }) =>
      given &&
      firstOf(itemsOf(body), (item) =>
        isReasoning(item) && item.encrypted_content && !given.encrypted(item.encrypted_content)
          ? {
              message: `The encrypted content ${String(item.encrypted_content).slice(0, 4)}... could not be verified.`,
              code: 'invalid_encrypted_content',
            }
          : undefined,
      ),
  },
  {
    name: 'reasoning is followed by an item of its reply',
    source: 'https://github.com/vercel/ai/issues/7099',
    check({ body, given }) {
      const items = itemsOf(body);
      return firstOf(items, (item, at) => {
        if (!isReasoning(item)) return undefined;
        const next = items[at + 1];
        const isOfUser = !next || next.role === 'user' || typeOf(next) === 'function_call_output';
        const wanted = given?.after(item.id);
        return isOfUser || (wanted !== undefined && next.id !== wanted)
          ? {
              message: `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
              param: 'input',
            }
          : undefined;
      });
    },
  },
  {
    name: 'an item comes back with the reasoning before it',
    source: 'https://github.com/continuedev/continue/issues/11994',
    check({ body, given }) {
      const items = itemsOf(body);
      return firstOf(items, (item, at) => {
        const wanted = item.id === undefined ? undefined : given?.before(item.id);
        return wanted !== undefined && items[at - 1]?.id !== wanted
          ? {
              message: `Item '${item.id}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${wanted}'.`,
              param: 'input',
            }
          : undefined;
      });
    },
  },
];
