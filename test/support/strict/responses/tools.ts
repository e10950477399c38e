/** Rules of the tools of a request of the Responses API. */

import { tooLong, tooManyTools } from '../limits.ts';
import { type Fault, type Fields, fieldsIn, firstOf, isFields, type Rule } from '../rule.ts';
import { combinators, inSchema } from '../schemas.ts';
import type { GivenItems } from './given.ts';

const DOCS = 'https://developers.openai.com/api/reference/resources/responses/methods/create';

const inTools = (body: Fields, find: (tool: Fields, at: number) => Fault | undefined) =>
  firstOf(fieldsIn(body.tools), (tool, at) => (tool.type === 'function' ? find(tool, at) : undefined));

const invalidSchema = ({ name }: Fields, at: number, why: string): Fault => ({
  message: `Invalid schema for function '${name}': ${why}`,
  code: 'invalid_function_parameters',
  param: `tools[${at}].parameters`,
});

export const toolRules: readonly Rule<GivenItems>[] = [
  {
    name: 'a function stands in its tool itself',
    source: 'https://github.com/promptfoo/promptfoo/issues/5172',
    check: ({ body }) =>
      inTools(body, ({ name }, at) =>
        typeof name === 'string'
          ? undefined
          : {
              message: `Missing required parameter: 'tools[${at}].name'.`,
              code: 'missing_required_parameter',
              param: `tools[${at}].name`,
            },
      ),
  },
  {
    name: 'a tool name has letters, digits, _ and -, at most 64',
    source: DOCS,
    check: ({ body }) =>
      inTools(body, ({ name }, at) => {
        const param = `tools[${at}].name`;
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
    name: 'at most 128 tools',
    source: DOCS,
    check: ({ body }) => tooManyTools(body),
  },
  {
    name: 'a description has at most 1,024 characters',
    source: 'https://github.com/getsentry/sentry-mcp/issues/106',
    check: ({ body }) =>
      inTools(body, ({ description }, at) =>
        typeof description === 'string' && description.length > 1024
          ? tooLong(`tools[${at}].description`, 1024, description)
          : undefined,
      ),
  },
  {
    name: 'parameters are a schema of type object with properties, without a combinator at the root',
    source: 'https://github.com/spring-projects/spring-ai/issues/4776',
    check: ({ body }) =>
      inTools(body, (tool, at) => {
        const { parameters } = tool;
        if (!isFields(parameters) || parameters.type !== 'object')
          return invalidSchema(tool, at, `schema must be a JSON Schema of 'type: "object"'.`);
        if (!isFields(parameters.properties))
          return invalidSchema(tool, at, 'In context=(), object schema missing properties.');
        return [...combinators, 'enum', 'not'].some((key) => key in parameters)
          ? invalidSchema(
              tool,
              at,
              "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
            )
          : undefined;
      }),
  },
  {
    name: 'an array says what its items are',
    source: 'https://github.com/sigoden/aichat/pull/1049',
    check: ({ body }) =>
      inTools(body, (tool, at) =>
        inSchema(tool.parameters, ({ schema, path }) =>
          [schema.type].flat().includes('array') && schema.items === undefined
            ? invalidSchema(
                tool,
                at,
                `In context=(${path.map((key) => `'${key}'`).join(', ')}), array schema missing items.`,
              )
            : undefined,
        ),
      ),
  },
  {
    name: 'a tool that is strict, as it is unless it says otherwise, has closed objects with all properties required',
    source: 'https://github.com/open-webui/open-webui/pull/30046',
    check: ({ body }) =>
      inTools(body, (tool, at) => {
        if (tool.strict === false) return undefined;
        return inSchema(tool.parameters, ({ schema }) => {
          if (!isFields(schema.properties)) return undefined;
          const required = Array.isArray(schema.required) ? schema.required : [];
          const open = schema.additionalProperties !== false;
          const left = Object.keys(schema.properties).find((key) => !required.includes(key));
          if (!open && left === undefined) return undefined;
          return invalidSchema(
            tool,
            at,
            open
              ? "In context=(), 'additionalProperties' is required to be supplied and to be false."
              : `In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '${left}'.`,
          );
        });
      }),
  },
];
