/** Rules of the fields and the functions of a request of Gemini's API. */

import { loneSurrogateAt } from '../json.ts';
import { fieldsIn, firstOf, isFields, type Rule, unknownKey } from '../rule.ts';
import { DATA, declarationsOf, placedIn, schemasIn } from './read.ts';

const API = 'https://ai.google.dev/api/';
const JSON_SCHEMA =
  'https://googleapis.github.io/kotlin-genai/google-genai-kotlin/com.google.genai.kotlin.types/-function-declaration/parameters-json-schema.html';

const unknownName = (name: string, at = ''): string =>
  `Invalid JSON payload received. Unknown name "${name}"${at && ` at '${at}'`}: Cannot find field.`;

const BODY = new Set(
  `cachedContent contents generationConfig safetySettings serviceTier store systemInstruction toolConfig tools`.split(
    ' ',
  ),
);
const PART = new Set([
  ...DATA,
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'partMetadata',
  'mediaResolution',
]);
const CALL = new Set(['id', 'name', 'args']);
const RESPONSE = new Set(['id', 'name', 'response', 'parts', 'willContinue', 'scheduling']);
const DECLARATION = new Set([
  'name',
  'description',
  'behavior',
  'parameters',
  'parametersJsonSchema',
  'response',
  'responseJsonSchema',
]);

/** Keywords of the API's own `Schema`. */
const SCHEMA = new Set(
  `type format title description nullable enum maxItems minItems properties required minProperties maxProperties
  minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum`.split(/\s+/),
);

export const fieldRules: readonly Rule<unknown>[] = [
  {
    name: 'the body has no lone surrogate',
    source: 'https://protobuf.dev/programming-guides/proto3/#scalar',
    check: ({ raw }) =>
      loneSurrogateAt(raw) < 0 ? undefined : 'Invalid JSON payload received. Invalid UTF-16 surrogate.',
  },
  {
    name: 'the body has the fields of the API',
    source: `${API}generate-content`,
    check({ body }) {
      const key = unknownKey(body, BODY);
      return key === undefined ? undefined : unknownName(key);
    },
  },
  {
    name: 'a part, a call and a response have the fields of the API',
    source: `${API}caching#Part`,
    check: ({ body }) =>
      firstOf(placedIn(body), ({ part, at }) => {
        const places = [
          [part, PART, at],
          [part.functionCall, CALL, `${at}.function_call`],
          [part.functionResponse, RESPONSE, `${at}.function_response`],
        ] as const;
        return firstOf(places, ([value, known, place]) => {
          const key = isFields(value) ? unknownKey(value, known) : undefined;
          return key === undefined ? undefined : unknownName(key, place);
        });
      }),
  },
  {
    name: 'maxOutputTokens is at least 1',
    source: `${API}generate-content#generationconfig`,
    check: ({ body: { generationConfig: config } }) =>
      isFields(config) && config.maxOutputTokens !== undefined && Number(config.maxOutputTokens) < 1
        ? '* GenerateContentRequest.generation_config.max_output_tokens: max_output_tokens must be positive.'
        : undefined,
  },
  {
    name: 'thinking has a budget or a level, not both',
    source: 'https://github.com/vercel/ai/issues/22372',
    check({ body: { generationConfig: config } }) {
      const thinking = isFields(config) ? config.thinkingConfig : undefined;
      return isFields(thinking) && 'thinkingBudget' in thinking && 'thinkingLevel' in thinking
        ? 'You can only set only one of thinking budget and thinking level.'
        : undefined;
    },
  },
  {
    name: 'a declaration has the fields of the API',
    source: `${API}caching#FunctionDeclaration`,
    check: ({ body }) =>
      firstOf(declarationsOf(body), (declared, at) => {
        const key = unknownKey(declared, DECLARATION);
        return key === undefined ? undefined : unknownName(key, `tools[0].function_declarations[${at}]`);
      }),
  },
  {
    name: 'there are at most 512 functions',
    source: 'https://github.com/google-gemini/gemini-cli/issues/19083',
    check: ({ body }) =>
      declarationsOf(body).length > 512
        ? 'The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations: [FIELD_INVALID] At most 512 function declarations can be specified.'
        : undefined,
  },
  {
    name: 'a function has a name that begins with a letter or _',
    source: `${API}caching#FunctionDeclaration`,
    check: ({ body }) =>
      firstOf(declarationsOf(body), ({ name }, at) =>
        typeof name === 'string' && /^[A-Za-z_][\w.:-]{0,63}$/.test(name)
          ? undefined
          : `* GenerateContentRequest.tools[0].function_declarations[${at}].name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`,
      ),
  },
  {
    name: 'names of functions are unique',
    source: 'https://ai.google.dev/gemini-api/docs/function-calling',
    check({ body }) {
      const names = declarationsOf(body).map(({ name }) => name);
      const twice = names.find((name, at) => names.indexOf(name) < at);
      return twice === undefined ? undefined : `Duplicate function declaration found: ${twice}`;
    },
  },
  {
    name: 'a function has `parameters` or `parametersJsonSchema`, not both',
    source: JSON_SCHEMA,
    check: ({ body }) =>
      firstOf(declarationsOf(body), (declared, at) =>
        'parameters' in declared && 'parametersJsonSchema' in declared
          ? `tools[0].function_declarations[${at}]: parameters and parameters_json_schema are mutually exclusive.`
          : undefined,
      ),
  },
  {
    name: '`parameters` has only the keywords of the API',
    source: 'https://github.com/pizza-bot-app/pizza-bot/issues/62',
    check: ({ body }) =>
      firstOf(declarationsOf(body), ({ parameters }, at) =>
        firstOf(schemasIn(parameters), ({ schema, path }) => {
          const key = unknownKey(schema, SCHEMA);
          const place = ['tools[0].function_declarations', `[${at}].parameters`, path && `.${path}`].join('');
          if (key !== undefined) return unknownName(key, place);
          return Array.isArray(schema.type)
            ? `Invalid JSON payload received. Unknown name "type" at '${place}': Proto field is not repeating, cannot start list.`
            : undefined;
        }),
      ),
  },
  {
    name: '`parametersJsonSchema` is an object',
    source: JSON_SCHEMA,
    check: ({ body }) =>
      firstOf(declarationsOf(body), ({ parametersJsonSchema: schema }, at) =>
        schema === undefined || (isFields(schema) && schema.type === 'object')
          ? undefined
          : `tools[0].function_declarations[${at}].parameters_json_schema: The schema must describe an object.`,
      ),
  },
  {
    name: '`parametersJsonSchema` has no references',
    source: 'https://github.com/google-gemini/gemini-cli/issues/13326',
    check: ({ body }) =>
      firstOf(declarationsOf(body), ({ parametersJsonSchema: json }) =>
        firstOf(schemasIn(json), ({ schema, path }) =>
          '$ref' in schema ? `reference to undefined schema at ${path}` : undefined,
        ),
      ),
  },
  {
    name: 'a list of tools has functions',
    source: `${API}caching#Tool`,
    check: ({ body }) =>
      firstOf(fieldsIn(body.tools), (tool, at) =>
        Object.keys(tool).length > 0 && fieldsIn(tool.functionDeclarations).length === 0
          ? `* GenerateContentRequest.tools[${at}]: tool must have at least one function declaration.`
          : undefined,
      ),
  },
];
