import type { Fields } from '../../support/strict/rule.ts';

/** A request that breaks one rule. */
export interface ConverseRow {
  readonly rule: string;
  readonly broken: Fields;
  /** A very similar request that is accepted; the smallest valid one when absent. */
  readonly sound?: Fields;
  /** Part of the server's error. */
  readonly says: string;
}

const text = (words: string) => ({ text: words });
const user = (...content: unknown[]) => ({ role: 'user', content });
const model = (...content: unknown[]) => ({ role: 'assistant', content });
const call = (toolUseId: string, input: unknown = {}) => ({ toolUse: { toolUseId, name: 'get', input } });
const result = (toolUseId: string, content: unknown = [text('done')]) => ({
  toolResult: { toolUseId, content },
});
const document = (name: string) => ({ document: { format: 'pdf', name, source: { bytes: 'JVBE' } } });
const image = (format: string) => ({ image: { format, source: { bytes: 'iVBO' } } });
const thought = (more: Fields) => ({ reasoningContent: { reasoningText: { text: 'Hm.', ...more } } });
const point = { cachePoint: { type: 'default' } };

const spec = (more: Fields = {}) => ({
  toolSpec: { name: 'get', description: 'Gets.', inputSchema: { json: { type: 'object' } }, ...more },
});

export const converseRequest = (more: Fields = {}): Fields => ({
  inferenceConfig: { maxTokens: 1000 },
  messages: [user(text('hi'))],
  toolConfig: { tools: [spec()] },
  ...more,
});

const said = (...messages: unknown[]) => converseRequest({ messages });
const withTool = (more: Fields) => converseRequest({ toolConfig: { tools: [spec(more)] } });

export const converseRows: readonly ConverseRow[] = [
  {
    rule: 'the body has the fields of the API',
    broken: converseRequest({ model: 'm' }),
    says: 'extraneous key [model]',
  },
  {
    rule: 'a block has exactly one member',
    broken: said(user({ text: 'hi', cachePoint: { type: 'default' } })),
    sound: said(user(text('hi'), point)),
    says: 'messages.0.content.0',
  },
  {
    rule: 'maxTokens is at least 1',
    broken: converseRequest({ inferenceConfig: { maxTokens: 0 } }),
    sound: converseRequest({ inferenceConfig: { maxTokens: 1 } }),
    says: 'greater than or equal to 1',
  },
  {
    rule: 'there are tools if the history has calls or results',
    broken: { messages: [user(text('hi')), model(call('a')), user(result('a'))] },
    sound: said(user(text('hi')), model(call('a')), user(result('a'))),
    says: 'toolConfig field must be defined',
  },
  {
    rule: 'a list of tools is not empty',
    broken: converseRequest({ toolConfig: { tools: [] } }),
    says: 'length greater than or equal to 1',
  },
  {
    rule: 'a tool is named with 1 to 64 letters, digits, _ and -',
    broken: withTool({ name: 'get.it' }),
    sound: withTool({ name: 'get-it' }),
    says: '[a-zA-Z0-9_-]+',
  },
  {
    rule: 'a description of a tool is not empty',
    broken: withTool({ description: '' }),
    says: 'description',
  },
  {
    rule: 'the schema of a tool is an object',
    broken: withTool({ inputSchema: { json: { type: 'string' } } }),
    says: 'inputSchema.json.type',
  },
  {
    rule: 'there are at most four cache points',
    broken: said(user(text('hi'), point, point, point, point, point)),
    sound: said(user(text('hi'), point, point, point, point)),
    says: 'maximum of 4',
  },
  {
    rule: 'the conversation begins with the user',
    broken: said(model(text('hi')), user(text('hi'))),
    says: 'must start with a user message',
  },
  {
    rule: 'the conversation ends with the user',
    broken: said(user(text('hi')), model(text('hi'))),
    says: 'must end with a user message',
  },
  { rule: 'roles alternate', broken: said(user(text('a')), user(text('b'))), says: 'must alternate' },
  { rule: 'a message has content', broken: said(user()), says: 'messages.0 is empty' },
  { rule: 'no text is blank', broken: said(user(text(' \n'))), says: 'messages.0.content.0 is blank' },
  {
    rule: 'the id of a call has 1 to 64 letters, digits and _.:-',
    broken: said(user(text('hi')), model(call('a b')), user(result('a b'))),
    sound: said(user(text('hi')), model(call('a:b')), user(result('a:b'))),
    says: '[a-zA-Z0-9_.:-]+',
  },
  {
    rule: 'the input of a call is an object',
    broken: said(user(text('hi')), model(call('a', '{}')), user(result('a'))),
    says: 'toolUse.input is invalid',
  },
  {
    rule: 'the next message has a result for every call',
    broken: said(user(text('hi')), model(call('a'), call('b')), user(result('a'))),
    sound: said(user(text('hi')), model(call('a'), call('b')), user(result('a'), result('b'))),
    says: 'for the following Ids: b',
  },
  {
    rule: 'there are no more results than calls before them',
    broken: said(user(text('hi')), model(text('no')), user(result('a'))),
    says: 'exceeds the number of toolUse blocks',
  },
  {
    rule: 'a result has content',
    broken: said(user(text('hi')), model(call('a')), user(result('a', []))),
    says: 'ToolResultBlock object is empty',
  },
  {
    rule: 'the name of a document has letters, digits, single spaces, hyphens, parentheses and brackets',
    broken: said(user(text('hi'), document('report.pdf'))),
    sound: said(user(text('hi'), document('report (1)'))),
    says: 'The document file name',
  },
  {
    rule: 'names of documents are unique',
    broken: said(user(text('hi'), document('a'), document('a'))),
    sound: said(user(text('hi'), document('a'), document('b'))),
    says: 'duplicate',
  },
  {
    rule: 'a message with a document has text',
    broken: said(user(document('a'))),
    sound: said(user(document('a'), text('hi'))),
    says: 'Add a text block',
  },
  {
    rule: 'an image has a known format',
    broken: said(user(image('tiff'))),
    sound: said(user(image('png'))),
    says: '[png, jpeg, gif, webp]',
  },
  {
    rule: 'reasoning is signed',
    broken: said(user(text('hi')), model(thought({}), text('a')), user(text('hi'))),
    sound: said(user(text('hi')), model(thought({ signature: 's' }), text('a')), user(text('hi'))),
    says: 'Invalid `signature`',
  },
];
