/** Calls in content: the instructions for a model without native tools, and the form of its calls and their results. */

import type { PinnedTool } from '../../agent/session/pinned.ts';
import type { Block } from '../../agent/session/slots.ts';

/** The system prompt, with the tools described in it. The same tools give the same bytes. */
export function withTools(system: string, tools: readonly PinnedTool[]): string {
  if (tools.length === 0) return system;
  const described = tools.map(({ name, description, input_schema: { $schema: _, ...parameters } }) =>
    JSON.stringify({ name, description, parameters }),
  );
  const parts = [
    ...(system === '' ? [] : [system]),
    `${HOW_TO_CALL}\n\n<tools>\n${described.join('\n')}\n</tools>`,
  ];
  return parts.join('\n\n');
}

const HOW_TO_CALL = `You have tools. To call one, write a block of exactly this form, with valid JSON in it:

<tool_call>{"name": "the tool's name", "arguments": {"a parameter": "its value"}}</tool_call>

Write one block for each call; several in one reply are several calls. Stop writing after your last block: the results come in the next message, each in a <tool_result> block, in the order of your calls. Never write a <tool_result> yourself. When you need no tool, answer without any block. These are your tools, one a line, with the JSON schema of their arguments:`;

/** A call as the model would have written it. */
export function toCallText({ name, input }: Block): string {
  return `<tool_call>${JSON.stringify({ name, arguments: input ?? {} })}</tool_call>`;
}

/** A result, as text of the user's side. */
export function toResultText(name: string, content: string): string {
  return `<tool_result name=${JSON.stringify(name)}>\n${withoutResultTags(content)}\n</tool_result>`;
}

/** Text that cannot pass for a tool's result, whatever its author wrote. */
export function withoutResultTags(text: string): string {
  return text.replace(/<(\/?)tool_result/gi, '&lt;$1tool_result');
}
