import { type GivenSignatures, givenSignatures } from '../../support/strict/generate/given.ts';
import type { Fields } from '../../support/strict/rule.ts';

/** A request that breaks one rule. */
export interface GenerateRow {
  readonly rule: string;
  readonly broken: Fields | string;
  /** A very similar request that is accepted; the smallest valid one when absent. */
  readonly sound?: Fields | string;
  readonly given?: () => GivenSignatures;
  /** Part of the server's error. */
  readonly says: string;
}

const text = (words: string, more: Fields = {}) => ({ text: words, ...more });
const user = (...parts: unknown[]) => ({ role: 'user', parts });
const model = (...parts: unknown[]) => ({ role: 'model', parts });
const SIGNED = { thoughtSignature: 'c2ln' };
const call = (more: Fields = {}, signed: Fields = SIGNED) => ({
  functionCall: { name: 'get', args: {}, ...more },
  ...signed,
});
const result = (more: Fields = {}) => ({
  functionResponse: { name: 'get', response: { output: 'done' }, ...more },
});
const file = (mimeType: string) => ({ inlineData: { mimeType, data: 'iVBO' } });
const declared = (more: Fields = {}) => ({
  ...{ name: 'get', description: 'Gets.', parametersJsonSchema: { type: 'object', properties: {} } },
  ...more,
});

export const generateRequest = (more: Fields = {}): Fields => ({
  generationConfig: { maxOutputTokens: 1000 },
  contents: [user(text('hi'))],
  tools: [{ functionDeclarations: [declared()] }],
  ...more,
});

const said = (...contents: unknown[]) => generateRequest({ contents: [user(text('hi')), ...contents] });
const withTool = (more: Fields) => generateRequest({ tools: [{ functionDeclarations: [declared(more)] }] });
const withTools = (names: string[]) =>
  generateRequest({ tools: [{ functionDeclarations: names.map((name) => declared({ name })) }] });
const legacy = (properties: Fields) =>
  withTool({ parametersJsonSchema: undefined, parameters: { type: 'object', properties } });
const without = (request: Fields): Fields => JSON.parse(JSON.stringify(request));

/** A server that has given this part. */
const gave = (part: Fields) => () => {
  const given = givenSignatures();
  given.took(generateRequest(), [part]);
  return given;
};

export const generateRows: readonly GenerateRow[] = [
  {
    rule: 'the body has no lone surrogate',
    broken: JSON.stringify(said(model(text('ok \udc00')), user(text('hi')))),
    sound: JSON.stringify(said(model(text('ok \ud83d\ude00')), user(text('hi')))),
    says: 'Invalid',
  },
  {
    rule: 'the body has the fields of the API',
    broken: generateRequest({ stream: true }),
    says: 'Unknown name "stream"',
  },
  {
    rule: 'a part, a call and a response have the fields of the API',
    broken: said(model(call({ type: 'function' })), user(result())),
    sound: said(model(call({ id: 'a' })), user(result({ id: 'a' }))),
    says: `Unknown name "type" at 'contents[1].parts[0].function_call'`,
  },
  {
    rule: 'maxOutputTokens is at least 1',
    broken: generateRequest({ generationConfig: { maxOutputTokens: 0 } }),
    says: 'must be positive',
  },
  {
    rule: 'thinking has a budget or a level, not both',
    broken: generateRequest({
      generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'low' } },
    }),
    sound: generateRequest({ generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } }),
    says: 'only one of thinking budget and thinking level',
  },
  {
    rule: 'a declaration has the fields of the API',
    broken: withTool({ strict: true }),
    says: `Unknown name "strict" at 'tools[0].function_declarations[0]'`,
  },
  {
    rule: 'there are at most 512 functions',
    broken: withTools(Array.from({ length: 513 }, (_, n) => `f${n}`)),
    sound: withTools(Array.from({ length: 512 }, (_, n) => `f${n}`)),
    says: 'At most 512 function declarations',
  },
  {
    rule: 'a function has a name that begins with a letter or _',
    broken: withTools(['1a']),
    sound: withTools(['_a.b:c-d']),
    says: 'Must start with a letter or an underscore.',
  },
  {
    rule: 'names of functions are unique',
    broken: withTools(['get', 'get']),
    sound: withTools(['get', 'put']),
    says: 'Duplicate function declaration found: get',
  },
  {
    rule: 'a function has `parameters` or `parametersJsonSchema`, not both',
    broken: withTool({ parameters: { type: 'object' } }),
    says: 'mutually exclusive',
  },
  {
    rule: '`parameters` has only the keywords of the API',
    broken: without(legacy({ n: { type: 'integer', exclusiveMinimum: 0 } })),
    sound: without(legacy({ n: { type: 'integer', minimum: 1 } })),
    says: `Unknown name "exclusiveMinimum" at 'tools[0].function_declarations[0].parameters.properties.n'`,
  },
  {
    rule: '`parameters` has only the keywords of the API',
    broken: without(legacy({ n: { type: ['string', 'null'] } })),
    sound: without(legacy({ n: { type: 'string', nullable: true } })),
    says: 'Proto field is not repeating',
  },
  {
    rule: '`parametersJsonSchema` is an object',
    broken: withTool({ parametersJsonSchema: { type: 'string' } }),
    says: 'must describe an object',
  },
  {
    rule: '`parametersJsonSchema` has no references',
    broken: withTool({
      parametersJsonSchema: { type: 'object', properties: { a: { anyOf: [{ $ref: '#/$defs/A' }] } } },
    }),
    sound: withTool({
      parametersJsonSchema: { type: 'object', properties: { $ref: { type: 'string' } } },
    }),
    says: 'reference to undefined schema at properties.a.anyOf.0',
  },
  {
    rule: 'a list of tools has functions',
    broken: generateRequest({ tools: [{ functionDeclarations: [] }] }),
    says: 'at least one function declaration',
  },
  {
    rule: 'there are contents',
    broken: generateRequest({ contents: [] }),
    says: 'contents is not specified',
  },
  {
    rule: 'a content is of the user or of the model',
    broken: said({ role: 'assistant', parts: [text('hi')] }, user(text('hi'))),
    sound: said(model(text('hi')), user(text('hi'))),
    says: 'Please use a valid role: user, model.',
  },
  {
    rule: 'a content has parts',
    broken: said(user()),
    says: 'contents[1].parts: contents.parts must not be empty',
  },
  {
    rule: 'a part has data, also of the system instruction',
    broken: said(model(text('')), user(text('hi'))),
    sound: said(model(text('', SIGNED)), user(text('hi'))),
    says: "contents[1].parts[0].data: required oneof field 'data' must have one initialized field",
  },
  {
    rule: 'a part has data, also of the system instruction',
    broken: generateRequest({ systemInstruction: { parts: [text('')] } }),
    sound: generateRequest({ systemInstruction: { parts: [text('Be brief.')] } }),
    says: 'system_instruction.parts[0].data',
  },
  {
    rule: 'a part has data of one kind',
    broken: said(user({ ...text('hi'), ...file('image/png') })),
    sound: said(user(text('hi'), file('image/png'))),
    says: "oneof field 'data' is already set. Cannot set 'inlineData'",
  },
  {
    rule: 'the conversation ends with the user',
    broken: said(model(text('hi'))),
    says: 'end with a user role',
  },
  {
    rule: 'a call comes right after a content of the user',
    broken: said(model(text('On it.')), model(call()), user(result())),
    sound: said(model(text('On it.'), call()), user(result())),
    says: 'function call turn comes immediately after a user turn',
  },
  {
    rule: 'a response comes right after its call',
    broken: said(model(call()), user(result()), user(result())),
    sound: said(model(call()), user(result()), user(text('And?'))),
    says: 'function response turn comes immediately after a function call turn',
  },
  {
    rule: 'calls have as many responses, and no other parts beside them',
    broken: said(model(call(), call()), user(result())),
    sound: said(model(call(), call()), user(result(), result())),
    says: 'number of function response parts is equal to the number of function call parts',
  },
  {
    rule: 'calls have as many responses, and no other parts beside them',
    broken: said(model(call()), user(result(), file('image/png'))),
    sound: said(model(call()), user(result()), user(file('image/png'))),
    says: 'number of function response parts is equal to the number of function call parts',
  },
  {
    rule: 'a response has the name and the id of its call, in the order of the calls',
    broken: said(model(call()), user(result({ id: 'a' }))),
    sound: said(model(call()), user(result())),
    says: 'functionResponse.id does not match functionCall.id',
  },
  {
    rule: 'a response has the name and the id of its call, in the order of the calls',
    broken: said(model(call(), call({ name: 'put' })), user(result({ name: 'put' }), result())),
    sound: said(model(call(), call({ name: 'put' })), user(result(), result({ name: 'put' }))),
    says: 'functionResponse.name put does not match functionCall.name get',
  },
  {
    rule: 'arguments and responses are objects',
    broken: said(model(call({ args: '{}' })), user(result())),
    says: "Invalid value at 'contents[1].parts[0].function_call.args'",
  },
  {
    rule: 'arguments and responses are objects',
    broken: said(model(call()), user(result({ response: 'done' }))),
    says: "Invalid value at 'contents[2].parts[0].function_response.response'",
  },
  {
    rule: 'a response refers to no files that it has not',
    broken: said(model(call()), user(result({ response: { output: { $ref: '#/$defs/A' } } }))),
    sound: said(model(call()), user(result({ response: { output: '{"$ref":"#/$defs/A"}' } }))),
    says: 'The referenced name `#/$defs/A`',
  },
  {
    rule: 'files are of a type that the model reads',
    broken: said(model(call()), user(result({ parts: [file('image/gif')] }))),
    sound: said(model(call()), user(result({ parts: [file('image/webp')] }))),
    says: 'Unsupported MIME type: image/gif',
  },
  {
    rule: 'a signature is base64',
    broken: said(model(call({}, { thoughtSignature: 'no!' })), user(result())),
    says: 'Base64 decoding failed',
  },
  {
    rule: 'in the turn that goes on, the first call of each step is signed',
    broken: said(model(call({}, {}), call()), user(result(), result())),
    sound: said(model(call(), call({}, {})), user(result(), result())),
    says: 'missing a thought_signature in functionCall parts',
  },
  {
    rule: 'in the turn that goes on, the first call of each step is signed',
    broken: said(model(call()), user(result()), model(call({}, {})), user(result())),
    sound: said(model(call({}, {})), user(result()), user(text('And?')), model(call()), user(result())),
    says: 'position 4',
  },
  {
    rule: 'a signature comes back on the part that it came with',
    broken: said(model(text('Other.', SIGNED)), user(text('hi'))),
    sound: said(model(text('Mine.', SIGNED)), user(text('hi'))),
    given: gave(text('Mine.', SIGNED)),
    says: 'Corrupted thought signature.',
  },
  {
    rule: 'a signed call comes back with its signature',
    broken: said(model(call({}, { thoughtSignature: 'skip_thought_signature_validator' })), user(result())),
    sound: said(model(call()), user(result())),
    given: gave(call()),
    says: 'missing a thought_signature',
  },
];
