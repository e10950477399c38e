import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { dialectNames } from '../../../shared/agent/config/model.ts';
import { dialects } from '../../../shared/models/dialects.ts';
import { facts, type Rule, ruleIn, type ServerFact } from '../../../shared/models/facts.ts';

const page = await readFile(new URL('../../../docs/providers.md', import.meta.url), 'utf8');

/** The cells of the table that begins with this head, a row each. */
function tableOf(head: string): string[][] {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => cellsOf(line)[0] === head);
  const rows = lines.slice(at + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map(cellsOf);
}
const cellsOf = (line: string): string[] =>
  line.startsWith('|')
    ? line
        .slice(1, line.lastIndexOf('|'))
        .split(' |')
        .map((cell) => cell.trim())
    : [];

const ruleNames = Object.keys(facts) as Rule[];
const factOf = (rule: Rule): ServerFact => facts[rule];

test('docs/providers.md lists the rules of each dialect', () => {
  const said = dialectNames.map((name) => [
    `\`${name}\``,
    dialects[name].map((rule) => `\`${rule}\``).join(', ') || 'none',
  ]);
  expect(tableOf('dialect').map((row) => row.slice(0, 2))).toEqual(said);
});

test('docs/providers.md lists for each rule its meaning, whether a refusal teaches it, and its source', () => {
  const said = ruleNames.map((rule) => {
    const { what, source, refusal } = factOf(rule);
    return [`\`${rule}\``, what, refusal ? 'yes' : 'no', source];
  });
  expect(tableOf('rule')).toEqual(said);
});

test.each<[Rule, string]>([
  [
    'max_completion_tokens',
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ],
  ['max_tokens', 'Unrecognized request argument supplied: max_completion_tokens'],
  ['max_tokens', 'body.max_completion_tokens: Extra inputs are not permitted'],
  ['no_stream_options', "Unknown parameter: 'stream_options'."],
  ['no_stream_options', 'body.stream_options.include_usage: Extra inputs are not permitted'],
  [
    'description_1024',
    "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1500 instead.",
  ],
  [
    'array_items',
    "Invalid schema for function 'f': In context=('properties', 'a'), array schema missing items.",
  ],
  [
    'array_items',
    '* GenerateContentRequest.tools[0].function_declarations[9].parameters.properties[a].items: missing field.',
  ],
  [
    'no_reasoning',
    "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
  ],
  [
    'no_reasoning',
    "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
  ],
  ['no_reasoning', 'body.messages.31.assistant.reasoning_content: Extra inputs are not permitted'],
  [
    'reasoning_needed',
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
  ],
  ['reasoning_needed', 'The `reasoning_content` in the thinking mode must be passed back to the API.'],
  ['no_extra_fields', 'body.messages.1.assistant.extra_content: Extra inputs are not permitted'],
  ['no_extra_fields', "Unknown parameter: 'messages[2].reasoning_details'."],
  ['thought_signatures', 'Function call is missing a thought_signature in functionCall parts.'],
  ['call_ids_nine', 'Tool call id was toolu_01 but must be a-z, A-Z, 0-9, with a length of 9.'],
  ['assistant_after_tool', "Unexpected role 'user' after role 'tool'"],
  [
    'alternate_roles',
    'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
  ],
  ['content_as_text', "Invalid 'content': 'content' field must be a string or an array of objects."],
])('%s is learned from: %s', (rule, message) => {
  expect(ruleIn(message)).toBe(rule);
});

test.each([
  'Invalid API key.',
  'messages: at least one message is required',
  "Invalid type for 'messages[1].content[0]': expected an object",
  'tool_use ids were found without tool_result blocks immediately after',
  "Unsupported value: 'temperature' does not support 0.2 with this model.",
])('no rule is learned from: %s', (message) => {
  expect(ruleIn(message)).toBeUndefined();
});
