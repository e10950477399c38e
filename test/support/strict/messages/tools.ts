/** Rules of the tools of a request to the Messages API. */

import { type Fields, fieldsIn, firstOf, isFields, type Rule } from '../rule.ts';
import { breaksDraft2020, combinators } from '../schemas.ts';
import type { GivenBlocks } from './given.ts';
import { inBlocks, isCall, isResult } from './read.ts';

/** Tools that the caller runs. A server tool has a dated type and no schema. */
export const isOwnTool = ({ type }: Fields): boolean => type === undefined || type === 'custom';

/** The fault of the first tool for which `find` returns one. */
const inOwnTools = (body: Fields, find: (tool: Fields, place: string) => string | undefined) =>
  firstOf(fieldsIn(body.tools), (tool, at) =>
    isOwnTool(tool) ? find(tool, `tools.${at}.custom`) : undefined,
  );

const inSchemas = (body: Fields, find: (schema: Fields, place: string) => string | undefined) =>
  inOwnTools(body, ({ input_schema }, place) =>
    isFields(input_schema) ? find(input_schema, `${place}.input_schema`) : undefined,
  );

const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Fields of a tool that the caller runs (platform.claude.com/docs/en/api/messages). */
const TOOL_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'input_examples',
  'cache_control',
  'strict',
  'defer_loading',
  'allowed_callers',
  'eager_input_streaming',
]);

export const toolRules: readonly Rule<GivenBlocks>[] = [
  {
    name: 'a tool has the fields of the API',
    source: 'https://github.com/earendil-works/pi/issues/7938',
    check: ({ body }) =>
      inOwnTools(body, (tool, place) => {
        const key = Object.keys(tool).find((name) => !TOOL_FIELDS.has(name));
        return key === undefined ? undefined : `${place}.${key}: Extra inputs are not permitted`;
      }),
  },
  {
    name: 'a tool name has letters, digits, _ and -, at most 128 (Bedrock: 64)',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check({ body, dialect }) {
      const most = dialect === 'bedrock' ? 64 : 128;
      const pattern = `^[a-zA-Z0-9_-]{1,${most}}$`;
      return inOwnTools(body, ({ name }, place) =>
        new RegExp(pattern).test(String(name))
          ? undefined
          : `${place}.name: String should match pattern '${pattern}'`,
      );
    },
  },
  {
    name: 'names of tools are unique',
    source: 'https://github.com/danny-avila/LibreChat/issues/13162',
    check({ body }) {
      const names = fieldsIn(body.tools).map(({ name }) => name);
      return new Set(names).size === names.length ? undefined : 'tools: Tool names must be unique.';
    },
  },
  {
    name: 'a tool has a schema of type object',
    source: 'https://github.com/kenn-io/msgvault/issues/626',
    check: ({ body }) =>
      inOwnTools(body, ({ input_schema }, place) => {
        if (!isFields(input_schema)) return `${place}.input_schema: Field required`;
        if (input_schema.type === undefined) return `${place}.input_schema.type: Field required`;
        return input_schema.type === 'object'
          ? undefined
          : `${place}.input_schema.type: Input should be 'object'`;
      }),
  },
  {
    name: 'a schema has no combinator at its root',
    source: 'https://github.com/langchain-ai/langchain/issues/39271',
    check: ({ body }) =>
      inSchemas(body, (schema, place) =>
        combinators.some((key) => key in schema)
          ? `${place}: input_schema does not support oneOf, allOf, or anyOf at the top level`
          : undefined,
      ),
  },
  {
    name: 'keys of properties have letters, digits, _, . and -, at most 64',
    source: 'https://github.com/anthropics/claude-code/issues/34771',
    check: ({ body }) =>
      inSchemas(body, ({ properties }, place) =>
        isFields(properties) && Object.keys(properties).some((key) => !KEY.test(key))
          ? `${place}.properties: Property keys should match pattern '${KEY.source}'`
          : undefined,
      ),
  },
  {
    name: 'a schema is one of draft 2020-12',
    source: 'https://github.com/openclaw/openclaw/issues/98588',
    check: ({ body }) =>
      inSchemas(body, (schema, place) =>
        breaksDraft2020(schema)
          ? `${place}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.`
          : undefined,
      ),
  },
  {
    name: 'a description is text',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check: ({ body }) =>
      inOwnTools(body, ({ description }, place) =>
        description === undefined || typeof description === 'string'
          ? undefined
          : `${place}.description: Input should be a valid string`,
      ),
  },
  {
    name: 'a history with calls comes with tools',
    source: 'https://github.com/langgenius/dify/issues/17545',
    only: ['bedrock'],
    check({ body }) {
      if (fieldsIn(body.tools).length > 0) return undefined;
      return inBlocks(body, ({ block }) =>
        isCall(block) || isResult(block)
          ? 'Requests which include `tool_use` or `tool_result` blocks must define tools'
          : undefined,
      );
    },
  },
];
