import { type GivenItems, givenItems } from '../../support/strict/responses/given.ts';
import type { Fields } from '../../support/strict/rule.ts';

/** A request that breaks one rule, and a similar one that does not. */
export interface ResponsesRow {
  readonly rule: string;
  readonly broken: Fields | string;
  /** A very similar request that is accepted; the smallest valid one when absent. */
  readonly sound?: Fields | string;
  readonly given?: () => GivenItems;
  /** Part of the server's error. */
  readonly says: string;
  readonly status?: number;
}

const user = { role: 'user', content: 'hi' };
const call = (id: string, more: Fields = {}) => ({
  ...{ type: 'function_call', call_id: id, name: 'get', arguments: '{}' },
  ...more,
});
const result = (id: string, output: unknown = 'done') => ({
  ...{ type: 'function_call_output', call_id: id, output },
});
const says = (content: unknown, more: Fields = {}) => ({ role: 'assistant', content, ...more });
const thought = (id: string, more: Fields = {}) => ({
  ...{ type: 'reasoning', id, summary: [], encrypted_content: `enc-${id}` },
  ...more,
});
const picture = (image_url: string) => ({ role: 'user', content: [{ type: 'input_image', image_url }] });
const file = (more: Fields) => ({ role: 'user', content: [{ type: 'input_file', ...more }] });

const object = (more: Fields = {}) => ({ type: 'object', properties: {}, ...more });
const tool = (more: Fields = {}) => ({
  ...{ type: 'function', name: 'get', description: 'Gets.', parameters: object(), strict: false },
  ...more,
});

export const responsesRequest = (more: Fields = {}): Fields => ({
  model: 'gpt-test-1',
  max_output_tokens: 1000,
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  input: [user],
  ...more,
});

const said = (...items: unknown[]) => responsesRequest({ input: [user, ...items] });
const withTools = (...tools: unknown[]) => responsesRequest({ tools });
const withSchema = (properties: Fields) => withTools(tool({ parameters: object({ properties }) }));
const format = (schema: Fields) =>
  responsesRequest({ text: { format: { type: 'json_schema', name: 'answer', strict: true, schema } } });

/** A server that has sent these items. */
const gave =
  (...items: Fields[]) =>
  () => {
    const given = givenItems();
    given.took(items);
    return given;
  };

const paired = gave(thought('rs_1'), call('a', { id: 'fc_1' }));
const long = 'a'.repeat(65);

export const responsesRows: readonly ResponsesRow[] = [
  {
    rule: 'the body has no lone surrogate',
    broken: JSON.stringify(said(says('ok \udc00'), user)),
    sound: JSON.stringify(said(says('ok \ud83d\ude00'), user)),
    says: 'We could not parse the JSON body of your request.',
  },
  {
    rule: 'the body has the fields of the API',
    broken: responsesRequest({ messages: [user] }),
    says: "Unsupported parameter: 'messages'.",
  },
  {
    rule: 'the body has the fields of the API',
    broken: responsesRequest({ reasoning_effort: 'low' }),
    sound: responsesRequest({ reasoning: { effort: 'low' } }),
    says: "Unknown parameter: 'reasoning_effort'.",
  },
  {
    rule: 'an item has the fields of its type',
    broken: said(thought('rs_1', { status: 'completed' }), says('ok')),
    sound: said(thought('rs_1'), says('ok')),
    says: "Unknown parameter: 'input[1].status'.",
  },
  {
    rule: 'an item has the fields of its type',
    broken: said({ role: 'tool', type: 'tool', content: 'done' }),
    says: "Invalid value: 'tool'.",
  },
  {
    rule: 'a part has the fields of its type',
    broken: said({ role: 'user', content: [{ type: 'input_text', text: 'hi', cache_control: {} }] }),
    sound: said({ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }),
    says: "Unknown parameter: 'input[1].content[0].cache_control'.",
  },
  { rule: 'the model is named', broken: responsesRequest({ model: '' }), says: "parameter: 'model'" },
  {
    rule: 'max_output_tokens is a whole number from 16 on',
    broken: responsesRequest({ max_output_tokens: 10 }),
    sound: responsesRequest({ max_output_tokens: 16 }),
    says: 'Expected a value >= 16, but got 10 instead.',
  },
  {
    rule: 'include names what can be included',
    broken: responsesRequest({ include: ['reasoning'] }),
    sound: responsesRequest({ include: ['web_search_call.action.sources'] }),
    says: "Invalid value: 'reasoning'.",
  },
  {
    rule: 'a format is in strict form',
    broken: format(object()),
    sound: format(object({ additionalProperties: false })),
    says: "'additionalProperties' is required to be supplied and to be false.",
  },
  {
    rule: 'a function stands in its tool itself',
    broken: withTools({ type: 'function', function: { name: 'get' } }),
    sound: withTools(tool()),
    says: "Missing required parameter: 'tools[0].name'.",
  },
  {
    rule: 'a tool name has letters, digits, _ and -, at most 64',
    broken: withTools(tool({ name: long })),
    sound: withTools(tool({ name: 'a'.repeat(64) })),
    says: 'Expected a string with maximum length 64, but got a string with length 65 instead.',
  },
  {
    rule: 'at most 128 tools',
    broken: withTools(...Array.from({ length: 129 }, (_, at) => tool({ name: `t${at}` }))),
    sound: withTools(...Array.from({ length: 128 }, (_, at) => tool({ name: `t${at}` }))),
    says: 'Expected an array with maximum length 128, but got an array with length 129 instead.',
  },
  {
    rule: 'a description has at most 1,024 characters',
    broken: withTools(tool({ description: 'x'.repeat(1_025) })),
    sound: withTools(tool({ description: 'x'.repeat(1_024) })),
    says: 'Expected a string with maximum length 1024',
  },
  {
    rule: 'parameters are a schema of type object with properties, without a combinator at the root',
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
    rule: 'a tool that is strict, as it is unless it says otherwise, has closed objects with all properties required',
    broken: withTools({ type: 'function', name: 'get', parameters: object() }),
    sound: withTools(tool({ strict: true, parameters: object({ additionalProperties: false }) })),
    says: "'additionalProperties' is required to be supplied and to be false.",
  },
  {
    rule: 'a message has a role of the API, and content',
    broken: said({ role: 'user', content: [] }),
    says: "Invalid 'input[1].content': empty array.",
  },
  {
    rule: 'parts are those of their role',
    broken: said(says([{ type: 'input_text', text: 'ok' }]), user),
    sound: said(says([{ type: 'output_text', text: 'ok' }]), user),
    says: "Invalid value: 'input_text'. Supported values are: 'output_text', 'refusal'.",
  },
  {
    rule: 'an image is an address or data, and a file has a name and data',
    broken: said(picture('aW1n')),
    sound: said(picture('data:image/png;base64,aW1n')),
    says: "Invalid 'input[1].content[0].image_url'.",
  },
  {
    rule: 'an image is an address or data, and a file has a name and data',
    broken: said(file({ file_data: 'data:application/pdf;base64,cGRm' })),
    sound: said(file({ filename: 'a.pdf', file_data: 'data:application/pdf;base64,cGRm' })),
    says: "Missing required parameter: 'input[1].content[0].filename'.",
  },
  {
    rule: 'arguments and results are there, as text',
    broken: said(call('a', { arguments: {} }), result('a')),
    sound: said(call('a'), result('a', [{ type: 'input_text', text: 'done' }])),
    says: "Invalid type for 'input[1].arguments'",
  },
  {
    rule: 'a text has at most 10,485,760 characters',
    broken: said({ role: 'user', content: 'x'.repeat(10_485_761) }),
    sound: said({ role: 'user', content: 'x'.repeat(10_485_760) }),
    says: 'Expected a string with maximum length 10485760',
  },
  { rule: 'there is an item', broken: responsesRequest({ input: [] }), says: "parameter: 'input'" },
  {
    rule: 'the call_id has 1 to 64 characters',
    broken: said(call(long), result(long)),
    sound: said(call(long.slice(1)), result(long.slice(1))),
    says: "Invalid 'input[1].call_id': string too long.",
  },
  {
    rule: 'every call has a result after it',
    broken: said(call('a'), call('b'), result('b'), user),
    sound: said(call('a'), call('b'), result('b'), result('a'), user),
    says: 'No tool output found for function call a.',
  },
  {
    rule: 'every result has a call before it',
    broken: said(result('a')),
    sound: said(call('a'), result('a')),
    says: 'No tool call found for function call output with call_id a.',
  },
  {
    rule: 'ids of calls are unique',
    broken: said(call('a'), result('a'), call('a'), result('a')),
    sound: said(call('a'), result('a'), call('b'), result('b')),
    says: 'Duplicate item found with call_id a.',
  },
  {
    rule: 'an id begins as its type says, and has at most 64 letters, digits, _ and -',
    broken: said(says('ok', { id: 'item_1' })),
    sound: said(says('ok', { id: 'msg_1' })),
    says: "Invalid 'input[1].id': 'item_1'. Expected an ID that begins with 'msg'.",
  },
  {
    rule: 'an id begins as its type says, and has at most 64 letters, digits, _ and -',
    broken: said(says('ok', { id: '' })),
    says: 'Expected an ID that contains letters, numbers, underscores, or dashes',
  },
  {
    rule: 'ids of items are unique',
    broken: said(says('ok', { id: 'msg_1' }), user, says('ok', { id: 'msg_1' })),
    sound: said(says('ok', { id: 'msg_1' }), user, says('ok', { id: 'msg_2' })),
    says: 'Duplicate item found with id msg_1.',
  },
  {
    rule: 'reasoning has its summary, and no plain text beside what is encrypted',
    broken: said(thought('rs_1', { summary: undefined }), says('ok')),
    sound: said(thought('rs_1'), says('ok')),
    says: "Missing required parameter: 'input[1].summary'.",
  },
  {
    rule: 'reasoning has its summary, and no plain text beside what is encrypted',
    broken: said(thought('rs_1', { content: [{ type: 'reasoning_text', text: 'Hm' }] }), says('ok')),
    says: 'Expected an array with maximum length 0',
  },
  {
    rule: 'reasoning that is not stored comes back in its encrypted form',
    broken: said(thought('rs_1', { encrypted_content: undefined }), says('ok')),
    sound: said(thought('rs_1'), says('ok')),
    says: "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
    status: 404,
  },
  {
    rule: 'what is encrypted is what the server has encrypted',
    given: gave(thought('rs_1'), says('ok')),
    broken: said(thought('rs_1', { encrypted_content: 'begun' }), says('ok')),
    sound: said(thought('rs_1'), says('ok')),
    says: 'The encrypted content begu... could not be verified.',
  },
  {
    rule: 'reasoning is followed by an item of its reply',
    broken: said(thought('rs_1'), user),
    sound: said(thought('rs_1'), says('ok'), user),
    says: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  },
  {
    rule: 'reasoning is followed by an item of its reply',
    given: paired,
    broken: said(thought('rs_1'), call('a'), result('a')),
    sound: said(thought('rs_1'), call('a', { id: 'fc_1' }), result('a')),
    says: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  },
  {
    rule: 'an item comes back with the reasoning before it',
    given: paired,
    broken: said(call('a', { id: 'fc_1' }), result('a')),
    sound: said(call('a'), result('a')),
    says: "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
  },
];
