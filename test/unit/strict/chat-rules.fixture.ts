import { type GivenCalls, givenCalls } from '../../support/strict/chat/given.ts';
import type { ChatDialect, Fields } from '../../support/strict/rule.ts';

/** A request that breaks one rule, and a similar one that does not. */
export interface ChatRow {
  readonly rule: string;
  /** `openai` when absent. */
  readonly dialect?: ChatDialect;
  readonly broken: Fields | string;
  /** A very similar request that is accepted; the smallest valid one when absent. */
  readonly sound?: Fields | string;
  readonly given?: () => GivenCalls;
  /** Part of the server's error. */
  readonly says: string;
  readonly status?: number;
}

const user = { role: 'user', content: 'hi' };
const call = (id: string, more: Fields = {}) => ({
  id,
  type: 'function',
  function: { name: 'get', arguments: '{}' },
  ...more,
});
const asks = (...calls: Fields[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const says = (content: unknown) => ({ role: 'assistant', content });
const answers = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'done' });
const signed = (thought_signature: string) => ({ extra_content: { google: { thought_signature } } });

const object = (more: Fields = {}) => ({ type: 'object', properties: {}, ...more });
const tool = (more: Fields = {}) => ({
  type: 'function',
  function: { name: 'get', description: 'Gets.', parameters: object(), ...more },
});

export const chatRequest = (more: Fields = {}): Fields => ({
  model: 'gpt-test-1',
  max_tokens: 1000,
  stream: true,
  messages: [user],
  ...more,
});

const said = (...messages: unknown[]) => chatRequest({ messages: [user, ...messages] });
const withTools = (...tools: unknown[]) => chatRequest({ tools });
const withSchema = (properties: Fields) => withTools(tool({ parameters: object({ properties }) }));
const wrongArguments = call('123456789', { function: { name: 'get', arguments: '{"a":' } });

/** A server that has sent this message. */
const gave = (message: Fields) => () => {
  const given = givenCalls();
  given.took(message);
  return given;
};

export const chatRows: readonly ChatRow[] = [
  {
    rule: 'the body has no lone surrogate',
    broken: JSON.stringify(said(says('ok \udc00'), user)),
    sound: JSON.stringify(said(says('ok \ud83d\ude00'), user)),
    says: 'We could not parse the JSON body of your request.',
  },
  {
    rule: 'the body has the fields of the API',
    broken: chatRequest({ top_k: 4 }),
    sound: chatRequest({ top_p: 1 }),
    says: 'Unrecognized request argument supplied: top_k',
  },
  {
    rule: 'the body has the fields of the API',
    dialect: 'mistral',
    broken: chatRequest({ max_completion_tokens: 10 }),
    says: 'Extra inputs are not permitted: body.max_completion_tokens',
    status: 422,
  },
  {
    rule: 'a message has the fields of its role',
    broken: said({ ...says('ok'), reasoning_content: 'why' }, user),
    sound: said({ ...says('ok'), refusal: null }, user),
    says: "Unknown parameter: 'messages[1].reasoning_content'.",
  },
  {
    rule: 'a call has the fields of a call',
    broken: said(asks(call('a', signed('s'))), answers('a')),
    sound: said(asks(call('a')), answers('a')),
    says: "Unknown parameter: 'messages[1].tool_calls[0].extra_content'.",
  },
  { rule: 'the model is named', broken: chatRequest({ model: '' }), says: 'you must provide a model' },
  {
    rule: 'limits of tokens are whole numbers above 0',
    broken: chatRequest({ max_tokens: 0 }),
    says: "Invalid 'max_tokens': integer below minimum value",
  },
  {
    rule: 'a reasoning model takes max_completion_tokens',
    broken: chatRequest({ model: 'gpt-5.4' }),
    sound: { ...chatRequest({ model: 'gpt-5.4' }), max_tokens: undefined, max_completion_tokens: 10 },
    says: "Use 'max_completion_tokens' instead.",
  },
  {
    rule: 'stream_options come with stream',
    broken: chatRequest({ stream: false, stream_options: { include_usage: true } }),
    sound: chatRequest({ stream: true, stream_options: { include_usage: true } }),
    says: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  },
  {
    rule: 'a tool name has letters, digits, _ and -, at most 64',
    broken: withTools(tool({ name: 'a'.repeat(71) })),
    sound: withTools(tool({ name: 'a'.repeat(64) })),
    says: 'Expected a string with maximum length 64, but got a string with length 71 instead.',
  },
  {
    rule: 'a tool name has letters, digits, _ and -, at most 64',
    dialect: 'gemini',
    broken: withTools(tool({ name: '1a' })),
    sound: withTools(tool({ name: 'a.b:c' })),
    says: 'Must start with a letter or an underscore.',
  },
  {
    rule: 'names of tools are unique',
    dialect: 'gemini',
    broken: withTools(tool(), tool()),
    sound: withTools(tool(), tool({ name: 'put' })),
    says: 'Duplicate function declaration found: get',
  },
  {
    rule: 'a description has at most 1,024 characters',
    broken: withTools(tool({ description: 'x'.repeat(1_500) })),
    sound: withTools(tool({ description: 'x'.repeat(1_024) })),
    says: 'Expected a string with maximum length 1024, but got a string with length 1500 instead.',
  },
  {
    rule: 'at most 128 tools',
    broken: withTools(...Array.from({ length: 129 }, (_, at) => tool({ name: `t${at}` }))),
    sound: withTools(...Array.from({ length: 128 }, (_, at) => tool({ name: `t${at}` }))),
    says: 'Expected an array with maximum length 128, but got an array with length 129 instead.',
  },
  {
    rule: 'a list of tools is absent, or some',
    broken: withTools(),
    sound: withTools(tool()),
    says: "Invalid 'tools': empty array.",
  },
  {
    rule: 'parameters are a schema of type object',
    broken: withTools(tool({ parameters: { properties: {} } })),
    sound: withTools(tool()),
    says: `schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`,
  },
  {
    rule: 'parameters have properties, also when there are none',
    broken: withTools(tool({ parameters: { type: 'object' } })),
    sound: withTools(tool()),
    says: 'In context=(), object schema missing properties.',
  },
  {
    rule: 'parameters have no combinator at their root',
    broken: withTools(tool({ parameters: object({ anyOf: [{ required: ['a'] }] }) })),
    sound: withSchema({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
    says: "schema must have type 'object' and not have",
  },
  {
    rule: 'an array says what its items are',
    broken: withSchema({ paths: { type: 'array' } }),
    sound: withSchema({ paths: { type: 'array', items: {} } }),
    says: "In context=('properties', 'paths'), array schema missing items.",
  },
  {
    rule: 'a union has its type in its branches, not beside them',
    dialect: 'kimi',
    broken: withSchema({ a: { type: 'string', anyOf: [{ enum: ['x'] }, { enum: ['y'] }] } }),
    sound: withSchema({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
    says: "<At path 'properties.a': when using anyOf, type should be defined in anyOf items",
  },
  {
    rule: 'an assistant’s message has text or calls',
    dialect: 'kimi',
    broken: said(says(''), user),
    sound: said(says('ok'), user),
    says: "Invalid request: the message at position 1 with role 'assistant' must not be empty",
  },
  {
    rule: 'an assistant’s message has text or calls',
    dialect: 'mistral',
    broken: said(says(null), user),
    says: 'Assistant message must have either content or tool_calls, but not none.',
  },
  {
    rule: 'a user’s message has content',
    broken: said({ role: 'user', content: [] }),
    says: "Invalid 'messages[1].content': empty array.",
  },
  {
    rule: 'a result has content',
    broken: said(asks(call('a')), { role: 'tool', tool_call_id: 'a' }),
    sound: said(asks(call('a')), { role: 'tool', tool_call_id: 'a', content: '' }),
    says: "Missing required parameter: 'messages[2].content'.",
  },
  {
    rule: 'tool_calls are absent, or some',
    broken: said({ ...says('ok'), tool_calls: [] }, user),
    sound: said(says('ok'), user),
    says: "Invalid 'messages[1].tool_calls': empty array.",
  },
  {
    rule: 'the arguments of a call are text',
    broken: said(asks(call('a', { function: { name: 'get', arguments: {} } })), answers('a')),
    says: "Invalid type for 'messages[1].tool_calls[0].function.arguments'",
  },
  {
    rule: 'the arguments of a call are a JSON object',
    dialect: 'vllm',
    broken: said(asks(wrongArguments), answers('123456789')),
    sound: said(asks(call('123456789')), answers('123456789')),
    says: "can't find closing '}' symbol",
  },
  {
    rule: 'a text has at most 10,485,760 characters',
    broken: said({ role: 'user', content: 'x'.repeat(10_485_761) }),
    sound: said({ role: 'user', content: 'x'.repeat(10_485_760) }),
    says: 'Expected a string with maximum length 10485760',
  },
  {
    rule: 'a call has an id',
    broken: said(asks(call('')), answers('')),
    says: "Missing required parameter: 'messages[1].tool_calls[0].id'.",
  },
  {
    rule: 'the id of a call has at most 40 characters',
    broken: said(asks(call('a'.repeat(41))), answers('a'.repeat(41))),
    sound: said(asks(call('a'.repeat(40))), answers('a'.repeat(40))),
    says: 'Expected a string with maximum length 40, but got a string with length 41 instead.',
  },
  {
    rule: 'the id of a call is nine letters and digits',
    dialect: 'mistral',
    broken: said(asks(call('toolu_01AbC')), answers('toolu_01AbC')),
    sound: said(asks(call('aB3456789')), answers('aB3456789')),
    says: 'Tool call id was toolu_01AbC but must be a-z, A-Z, 0-9, with a length of 9.',
  },
  {
    rule: 'the id of a call is functions.<name>:<n>',
    dialect: 'kimi',
    broken: said(asks(call('call_1')), answers('call_1')),
    sound: said(asks(call('functions.get:0')), answers('functions.get:0')),
    says: 'is not of the form functions.get:<n>',
  },
  {
    rule: 'there is a message',
    broken: chatRequest({ messages: [] }),
    says: "Invalid 'messages': empty array.",
  },
  {
    rule: 'a role is one of the API',
    broken: said({ role: 'robot', content: 'hi' }),
    says: "Invalid value: 'robot'.",
  },
  {
    rule: 'every call is answered right after its message',
    broken: said(asks(call('a'), call('b')), answers('a'), user, answers('b')),
    sound: said(asks(call('a'), call('b')), answers('b'), answers('a'), user),
    says: 'The following tool_call_ids did not have response messages: b',
  },
  {
    rule: 'every call is answered right after its message',
    dialect: 'mistral',
    broken: said(asks(call('123456789')), user),
    says: 'Not the same number of function calls and responses',
  },
  {
    rule: 'every result follows its call',
    broken: said(says('ok'), answers('a')),
    sound: said(asks(call('a')), answers('a')),
    says: "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  },
  {
    rule: 'a call has one result',
    broken: said(asks(call('a')), answers('a'), answers('a')),
    says: "Duplicate value for 'tool_call_id' of 'a'",
  },
  {
    rule: 'no user message comes right after a result',
    dialect: 'mistral',
    broken: said(asks(call('123456789')), answers('123456789'), user),
    sound: said(asks(call('123456789')), answers('123456789'), says('Done.'), user),
    says: "Unexpected role 'user' after role 'tool'",
  },
  {
    rule: 'the last message is not the assistant’s',
    dialect: 'mistral',
    broken: said(says('It is')),
    sound: said({ ...says('It is'), prefix: true }),
    says: 'Expected last role User or Tool',
  },
  {
    rule: 'calls follow a user’s message or a result',
    dialect: 'gemini',
    broken: said(says('On it.'), asks(call('a')), answers('a')),
    sound: said(asks(call('a')), answers('a'), asks(call('b')), answers('b')),
    says: 'Please ensure that function call turn comes immediately after a user turn',
  },
  {
    rule: 'a call comes back with its thought_signature',
    dialect: 'gemini',
    given: gave(asks(call('a', signed('sig-1')))),
    broken: said(asks(call('a', signed('sig-2'))), answers('a')),
    sound: said(asks(call('a', signed('sig-1'))), answers('a')),
    says: 'Function call is missing a thought_signature in functionCall parts.',
  },
  {
    rule: 'in the turn that goes on, the first call of each step has a thought_signature, its own or the dummy',
    dialect: 'gemini',
    given: gave(asks(call('a', signed('sig-1')))),
    broken: said(asks(call('z')), answers('z')),
    sound: said(
      asks(call('z', signed('skip_thought_signature_validator')), call('y')),
      answers('z'),
      answers('y'),
    ),
    says: 'Function call is missing a thought_signature',
  },
  {
    rule: 'a message with calls comes back with its reasoning_content',
    dialect: 'deepseek',
    given: gave({ ...asks(call('a')), reasoning_content: 'why' }),
    broken: said({ ...asks(call('a')), reasoning_content: '' }, answers('a')),
    sound: said({ ...asks(call('a')), reasoning_content: 'why' }, answers('a')),
    says: 'Missing `reasoning_content` field in the assistant message at message index 1.',
  },
  {
    rule: 'a message with calls comes back with its reasoning_details',
    dialect: 'openrouter',
    given: gave({ ...asks(call('a')), reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] }),
    broken: said(asks(call('a')), answers('a')),
    sound: said(
      { ...asks(call('a')), reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] },
      answers('a'),
    ),
    says: '`reasoning_details` of the assistant message were changed',
  },
];
