import { type GivenBlocks, givenBlocks } from '../../support/strict/messages/given.ts';
import type { Dialect, Fields } from '../../support/strict/rule.ts';

/** A request that breaks one rule, and a similar one that does not. */
export interface Row {
  readonly rule: string;
  readonly dialect?: Dialect;
  readonly broken: Fields | string;
  /** A very similar request that is accepted; the smallest valid one when absent. */
  readonly sound?: Fields | string;
  readonly given?: () => GivenBlocks;
  /** Part of the server's error. */
  readonly says: string;
  readonly status?: number;
}

const text = (words: string) => ({ type: 'text', text: words });
const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const call = (id: string, more: Fields = {}) => ({ type: 'tool_use', id, name: 'get', input: {}, ...more });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'done' });
const search = (id: string) => ({ type: 'server_tool_use', id, name: 'web_search', input: { query: 'a' } });
const found = (id: string) => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });
const thought = (words: string, signature: string) => ({ type: 'thinking', thinking: words, signature });
const webSearch = { type: 'web_search_20260209', name: 'web_search' };
const marked = (ttl?: string) => ({
  ...text('hi'),
  cache_control: { type: 'ephemeral', ...(ttl && { ttl }) },
});

const tool = (more: Fields = {}) => ({ name: 'get', description: 'Gets.', input_schema: object(), ...more });
const object = (more: Fields = {}) => ({ type: 'object', properties: {}, ...more });

export const request = (more: Fields = {}): Fields => ({
  model: 'claude-test-1',
  max_tokens: 1000,
  messages: [user(text('hi'))],
  ...more,
});

const said = (...messages: unknown[]) => request({ messages: [user(text('hi')), ...messages] });
const withTools = (...tools: unknown[]) => request({ tools });
const withSchema = (more: Fields) => withTools(tool({ input_schema: object(more) }));

/** A server that has sent this thinking in answer to this request. */
const thoughtOver =
  (body: Fields, ...content: Fields[]) =>
  () => {
    const given = givenBlocks();
    given.took(body, content, 'end_turn');
    return given;
  };

const thoughtful = thoughtOver(said(), thought('why', 'sig-1'));

export const rows: readonly Row[] = [
  {
    rule: 'the body has no lone surrogate',
    broken: JSON.stringify(said(assistant(text('ok \ud83d')), user(text('go')))),
    sound: JSON.stringify(said(assistant(text('ok \ud83d\ude00 \\ud83d')), user(text('go')))),
    says: 'The request body is not valid JSON: no low surrogate in string: line 1 column',
  },
  {
    rule: 'the body is at most 32 MB (Bedrock: 20 MB)',
    broken: said(user(text('x'.repeat(33 * 1024 * 1024)))),
    sound: said(user(text('x'.repeat(31 * 1024 * 1024)))),
    says: 'Request exceeds the maximum size',
    status: 413,
  },
  {
    rule: 'the body has the fields of the API',
    broken: request({ colour: 'red' }),
    sound: request({ tool_choice: { type: 'auto' } }),
    says: 'colour: Extra inputs are not permitted',
  },
  { rule: 'the model is named', broken: request({ model: '' }), says: 'model: Field required' },
  {
    rule: 'max_tokens is a whole number above 0',
    broken: request({ max_tokens: 10.5 }),
    says: 'max_tokens: Input should be a valid integer',
  },
  { rule: 'messages are a list', broken: request({ messages: {} }), says: 'messages: Input should be' },
  {
    rule: 'a tool name has letters, digits, _ and -, at most 128 (Bedrock: 64)',
    broken: withTools(tool({ name: 'a.b' })),
    sound: withTools(tool({ name: 'a'.repeat(128) })),
    says: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  },
  {
    rule: 'a tool name has letters, digits, _ and -, at most 128 (Bedrock: 64)',
    dialect: 'bedrock',
    broken: withTools(tool({ name: 'a'.repeat(65) })),
    sound: withTools(tool({ name: 'a'.repeat(64) })),
    says: '{1,64}',
  },
  {
    rule: 'a tool has the fields of the API',
    broken: withTools(tool({ original: {} })),
    sound: withTools(tool({ strict: true })),
    says: 'tools.0.custom.original: Extra inputs are not permitted',
  },
  {
    rule: 'names of tools are unique',
    broken: withTools(tool(), webSearch, tool()),
    sound: withTools(tool(), webSearch),
    says: 'tools: Tool names must be unique.',
  },
  {
    rule: 'a tool has a schema of type object',
    broken: withTools(tool({ input_schema: { properties: {} } })),
    sound: withTools(tool()),
    says: 'tools.0.custom.input_schema.type: Field required',
  },
  {
    rule: 'a schema has no combinator at its root',
    broken: withSchema({ anyOf: [{ required: ['a'] }] }),
    sound: withSchema({ properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } }),
    says: 'input_schema does not support oneOf, allOf, or anyOf at the top level',
  },
  {
    rule: 'keys of properties have letters, digits, _, . and -, at most 64',
    broken: withSchema({ properties: { 'StartTime<': { type: 'string' } } }),
    sound: withSchema({ properties: { 'Start.Time-1_': { type: 'string' } } }),
    says: 'tools.0.custom.input_schema.properties: Property keys should match pattern',
  },
  {
    rule: 'a schema is one of draft 2020-12',
    broken: withSchema({ properties: { at: { type: 'array', items: [{ type: 'number' }] } } }),
    sound: withSchema({ properties: { at: { type: 'array', prefixItems: [{ type: 'number' }] } } }),
    says: 'JSON schema is invalid. It must match JSON Schema draft 2020-12',
  },
  {
    rule: 'a schema is one of draft 2020-12',
    broken: withSchema({ properties: { n: { type: 'number', exclusiveMinimum: true, minimum: 0 } } }),
    sound: withSchema({ properties: { n: { type: 'number', exclusiveMinimum: 0 } } }),
    says: 'JSON schema is invalid',
  },
  {
    rule: 'a description is text',
    broken: withTools(tool({ description: 7 })),
    sound: withTools(tool({ description: 'x'.repeat(5_000) })),
    says: 'tools.0.custom.description: Input should be a valid string',
  },
  {
    rule: 'a history with calls comes with tools',
    dialect: 'bedrock',
    broken: said(assistant(call('a')), user(result('a'))),
    sound: { ...said(assistant(call('a')), user(result('a'))), tools: [tool()] },
    says: 'Requests which include `tool_use` or `tool_result` blocks must define tools',
  },
  {
    rule: 'at most four marks',
    broken: said(user(marked(), marked(), marked(), marked(), marked())),
    sound: said(user(marked(), marked(), marked(), marked())),
    says: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  {
    rule: 'a mark of one hour comes before those of five minutes',
    broken: request({ system: [marked()], messages: [user(marked('1h'))] }),
    sound: request({ system: [marked('1h')], messages: [user(marked())] }),
    says: "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after",
  },
  {
    rule: 'a mark is ephemeral, for 5m or 1h',
    broken: said(user(marked('2h'))),
    sound: said(user(marked('5m'))),
    says: "Input should be '5m' or '1h'",
  },
  {
    rule: 'no mark stands on an empty text',
    broken: said(user({ ...marked(), text: '' }, text('hi'))),
    sound: said(user(marked(), text('hi'))),
    says: 'cache_control cannot be set for empty text blocks',
  },
  {
    rule: 'a message has content, but for the last of the assistant',
    broken: said(assistant(), user(text('go'))),
    sound: said(assistant(text('yes')), user(text('go'))),
    says: 'messages.1: all messages must have non-empty content except for the optional final',
  },
  {
    rule: 'a text is not empty',
    broken: said(assistant(text('')), user(text('go'))),
    says: 'messages: text content blocks must be non-empty',
  },
  {
    rule: 'a text is more than blanks',
    broken: said(assistant(text(' \n')), user(text('go'))),
    says: 'messages: text content blocks must contain non-whitespace text',
  },
  {
    rule: 'the system prompt has no empty text',
    broken: request({ system: [text('')] }),
    sound: request({ system: [text('Be kind.')] }),
    says: 'system: text content blocks must be non-empty',
  },
  {
    rule: 'a message has the fields of a message',
    broken: said({ ...user(text('go')), name: 'Ann' }),
    sound: said(user(text('go'))),
    says: 'messages.1.name: Extra inputs are not permitted',
  },
  {
    rule: 'a block has the fields of its kind, or is the server’s own',
    broken: said(assistant(call('a', { extra_content: {} })), user(result('a'))),
    sound: said(assistant(call('a')), user(result('a'))),
    says: 'messages.1.content.0.tool_use.extra_content: Extra inputs are not permitted',
  },
  {
    rule: 'a block is of a known kind, or the server’s own',
    broken: said(assistant({ type: 'reasoning', text: 'hm' }), user(text('go'))),
    sound: said(assistant({ type: 'container_upload', file_id: 'f' }), user(text('go'))),
    says: "Input tag 'reasoning' found using 'type' does not match any of the expected tags",
  },
  {
    rule: 'a compaction has its text',
    broken: said(assistant({ type: 'compaction', content: null }), user(text('go'))),
    sound: said(assistant({ type: 'compaction', content: 'So far.' }), user(text('go'))),
    says: 'compaction.content: Input should be a valid string',
  },
  {
    rule: 'the input of a call is an object',
    broken: said(assistant(call('a', { input: '{}' })), user(result('a'))),
    says: 'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  },
  {
    rule: 'the id of a call has letters, digits, _ and -',
    broken: said(assistant(call('functions.get:0')), user(result('functions.get:0'))),
    sound: said(assistant(call('toolu_01A-b')), user(result('toolu_01A-b'))),
    says: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    rule: 'the name of a call is one that a tool may have',
    broken: said(assistant(call('a', { name: 'get<|channel|>' })), user(result('a'))),
    says: 'messages.1.content.0.tool_use.name: String should match pattern',
  },
  {
    rule: 'there is a message, and the first is the user’s',
    broken: request({ messages: [assistant(text('hi')), user(text('go'))] }),
    sound: request({ messages: [user(text('hi')), user(text('go'))] }),
    says: 'messages: first message must use the "user" role',
  },
  {
    rule: 'a message is the user’s or the assistant’s',
    broken: said({ ...user(text('go')), role: 'tool' }),
    says: "messages.1.role: Input should be 'user' or 'assistant'",
  },
  {
    rule: 'every call is answered in the next message',
    broken: said(assistant(call('a'), call('b')), user(result('a'))),
    sound: said(assistant(call('a'), call('b')), user(result('b'), result('a'))),
    says: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b.',
  },
  {
    rule: 'results come first in their message',
    broken: said(assistant(call('a')), user(text('wait'), result('a'))),
    sound: said(assistant(call('a')), user(result('a'), text('wait'))),
    says: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.',
  },
  {
    rule: 'every result has its call in the message before',
    broken: said(assistant(text('ok')), user(result('a'))),
    says: 'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a.',
  },
  {
    rule: 'a call has one result',
    broken: said(assistant(call('a')), user(result('a'), result('a'))),
    says: 'each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  },
  {
    rule: 'ids of calls are unique',
    broken: said(assistant(call('a')), user(result('a')), assistant(call('a')), user(result('a'))),
    sound: said(assistant(call('a')), user(result('a')), assistant(call('b')), user(result('b'))),
    says: 'messages.3: `tool_use` ids must be unique',
  },
  {
    rule: 'calls are the assistant’s, results the user’s',
    broken: said(user(text('go'), call('a'))),
    says: '`tool_use` blocks can only be in `assistant` messages',
  },
  {
    rule: 'the last message is the user’s, but after a pause',
    broken: said(assistant(text('It is'))),
    sound: { ...said(assistant(text('Looking'), search('s'))), tools: [webSearch] },
    says: 'This model does not support assistant message prefill. The conversation must end with a user message.',
  },
  {
    rule: 'a call of the server has its result, but in a turn that goes on',
    broken: said(assistant(search('s')), user(text('also B'))),
    sound: said(assistant(search('s'), found('s')), user(text('also B'))),
    says: 'messages.1: `web_search` tool use with id `s` was found without a corresponding `web_search_tool_result` block',
  },
  {
    rule: 'a call of the server has its result, but in a turn that goes on',
    broken: said(assistant(search('s'), call('a')), user(result('a'), text('also B'))),
    sound: said(assistant(search('s'), call('a')), user(result('a'))),
    says: 'without a corresponding',
  },
  {
    rule: 'a result of the server has its call',
    broken: said(assistant(found('s')), user(text('go'))),
    sound: said(assistant(search('s')), assistant(found('s'), text('So.')), user(text('go'))),
    says: 'unexpected `tool_use_id` found in `web_search_tool_result` blocks: s.',
  },
  {
    rule: 'a paused turn is resumed with the tools that it was using',
    given: () => {
      const given = givenBlocks();
      given.took({ ...said(), tools: [webSearch] }, [search('s')], 'pause_turn');
      return given;
    },
    broken: said(assistant(search('s'))),
    sound: { ...said(assistant(search('s'))), tools: [webSearch] },
    says: 'must be resumed with the `tools` that it began with',
  },
  {
    rule: 'a thought has its signature',
    broken: said(assistant(thought('why', ''), text('So.')), user(text('go'))),
    sound: said(assistant(thought('', 'sig'), text('So.')), user(text('go'))),
    says: 'messages.1.content.0.thinking.signature: Field required',
  },
  {
    rule: 'a thought is the assistant’s',
    broken: said(user(thought('why', 'sig'), text('go'))),
    says: '`thinking` blocks can only be in `assistant` messages',
  },
  {
    rule: 'a thought is what the server has thought',
    given: thoughtful,
    broken: said(assistant(thought('why not', 'sig-1'), text('So.')), user(text('go'))),
    sound: said(assistant(thought('why', 'sig-1'), text('So.')), user(text('go'))),
    says: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
  {
    rule: 'a thought stays in the conversation that it was thought in',
    given: thoughtful,
    broken: { ...said(assistant(thought('why', 'sig-1')), user(text('go'))), system: [text('Be short.')] },
    sound: said(assistant(thought('why', 'sig-1')), user(text('go'))),
    says: 'The block is bound to a different conversation',
  },
  {
    rule: 'with thinking by budget, the last turn with calls begins with a thought',
    broken: {
      ...said(assistant(call('a')), user(result('a'))),
      thinking: { type: 'enabled', budget_tokens: 500 },
    },
    sound: {
      ...said(assistant(thought('why', 'sig'), call('a')), user(result('a'))),
      thinking: { type: 'enabled', budget_tokens: 500 },
    },
    says: 'Expected `thinking` or `redacted_thinking`, but found `tool_use`',
  },
  {
    rule: 'the budget of thinking leaves room for an answer',
    broken: request({ thinking: { type: 'enabled', budget_tokens: 1000 } }),
    sound: request({ thinking: { type: 'enabled', budget_tokens: 999 } }),
    says: '`max_tokens` must be greater than `thinking.budget_tokens`',
  },
];
