/** Rules of the tools of a Chat Completions request. */

import { tooLong, tooManyTools } from '../limits.ts';
import {
  type ChatDialect,
  type Fault,
  type Fields,
  fieldsIn,
  firstOf,
  isFields,
  type Rule,
} from '../rule.ts';
import { combinators, inSchema } from '../schemas.ts';
import type { GivenCalls } from './given.ts';
import { functionOf } from './read.ts';

const OPENAI: readonly ChatDialect[] = ['openai', 'azure'];

const inTools = (body: Fields, find: (tool: Fields, at: number) => Fault | undefined) =>
  firstOf(fieldsIn(body.tools), (tool, at) => find(functionOf(tool), at));

/** A path in OpenAI's notation: `('properties', 'paths')`. */
const contextOf = (path: readonly string[]): string =>
  `(${path.map((key) => `'${key}'`).join(', ')}${path.length === 1 ? ',' : ''})`;

const invalidSchema = ({ name }: Fields, at: number, why: string): Fault => ({
  message: `Invalid schema for function '${name}': ${why}`,
  code: 'invalid_function_parameters',
  param: `tools[${at}].function.parameters`,
});

export const toolRules: readonly Rule<GivenCalls>[] = [
  {
    name: 'a tool name has letters, digits, _ and -, at most 64',
    source: 'https://github.com/mrexodia/ida-pro-mcp/issues/129',
    check: ({ body, dialect }) =>
      inTools(body, ({ name }, at) => {
        const param = `tools[${at}].function.name`;
        if (dialect === 'gemini')
          return /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(String(name))
            ? undefined
            : `* GenerateContentRequest.tools[0].function_declarations[${at}].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`;
        if (String(name).length > 64) return tooLong(param, 64, name);
        return /^[a-zA-Z0-9_-]+$/.test(String(name))
          ? undefined
          : {
              message: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
              code: 'invalid_value',
              param,
            };
      }),
  },
  {
    name: 'names of tools are unique',
    source: 'https://ai.google.dev/gemini-api/docs/function-calling',
    only: ['gemini', 'deepseek', 'kimi', 'mistral'],
    check({ body, dialect }) {
      const names = fieldsIn(body.tools).map((tool) => functionOf(tool).name);
      const twice = names.find((name, at) => names.indexOf(name) !== at);
      if (twice === undefined) return undefined;
      return dialect === 'gemini'
        ? `Duplicate function declaration found: ${twice}`
        : 'Tool names must be unique.';
    },
  },
  {
    name: 'a description has at most 1,024 characters',
    source: 'https://github.com/getsentry/sentry-mcp/issues/106',
    only: OPENAI,
    check: ({ body }) =>
      inTools(body, ({ description }, at) =>
        typeof description === 'string' && description.length > 1024
          ? tooLong(`tools[${at}].function.description`, 1024, description)
          : undefined,
      ),
  },
  {
    name: 'at most 128 tools',
    source: 'https://api-docs.deepseek.com/api/create-chat-completion',
    only: [...OPENAI, 'deepseek', 'kimi'],
    check: ({ body }) => tooManyTools(body),
  },
  {
    name: 'a list of tools is absent, or some',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    check: ({ body }) =>
      Array.isArray(body.tools) && body.tools.length === 0
        ? {
            message:
              "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            code: 'empty_array',
            param: 'tools',
          }
        : undefined,
  },
  {
    name: 'parameters are a schema of type object',
    source: 'https://github.com/spring-projects/spring-ai/issues/4776',
    check: ({ body }) =>
      inTools(body, (tool, at) => {
        const { parameters } = tool;
        if (parameters === undefined) return undefined;
        const type = isFields(parameters) ? parameters.type : undefined;
        return type === 'object'
          ? undefined
          : invalidSchema(
              tool,
              at,
              `schema must be a JSON Schema of 'type: "object"', got 'type: "${type ?? 'None'}"'.`,
            );
      }),
  },
  {
    name: 'parameters have properties, also when there are none',
    source: 'https://github.com/spring-projects/spring-ai/issues/4776',
    only: OPENAI,
    check: ({ body }) =>
      inTools(body, (tool, at) =>
        isFields(tool.parameters) && !isFields(tool.parameters.properties)
          ? invalidSchema(tool, at, 'In context=(), object schema missing properties.')
          : undefined,
      ),
  },
  {
    name: 'parameters have no combinator at their root',
    source: 'https://github.com/MoonshotAI/kimi-code/issues/2328',
    only: OPENAI,
    check: ({ body }) =>
      inTools(body, (tool, at) =>
        isFields(tool.parameters) &&
        [...combinators, 'enum', 'not'].some((key) => key in (tool.parameters as Fields))
          ? invalidSchema(
              tool,
              at,
              "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
            )
          : undefined,
      ),
  },
  {
    name: 'an array says what its items are',
    source: 'https://github.com/sigoden/aichat/pull/1049',
    only: [...OPENAI, 'gemini'],
    check: ({ body, dialect }) =>
      inTools(body, (tool, at) =>
        inSchema(tool.parameters, ({ schema, path }) => {
          const isArray = [schema.type].flat().includes('array');
          if (!isArray || schema.items !== undefined) return undefined;
          return dialect === 'gemini'
            ? `* GenerateContentRequest.tools[0].function_declarations[${at}].parameters.${path.join('.')}.items: missing field.`
            : invalidSchema(tool, at, `In context=${contextOf(path)}, array schema missing items.`);
        }),
      ),
  },
  {
    name: 'a union has its type in its branches, not beside them',
    source: 'https://github.com/MoonshotAI/kimi-code/issues/2661',
    only: ['kimi'],
    check: ({ body }) =>
      inTools(body, ({ parameters }) =>
        inSchema(parameters, ({ schema, path }) => {
          const key = combinators.find((one) => one in schema);
          return key && 'type' in schema
            ? `Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: <At path '${path.join('.') || 'root'}': when using ${key}, type should be defined in ${key} items instead of the parent schema>`
            : undefined;
        }),
      ),
  },
];
