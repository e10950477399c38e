/**
 * How the rule-based model serves any other agent: it calls a tool once if the task names it and the task's words fill its
 * input; then it tells what came of it.
 */

import { type Answer, type Conversation, type ToolInfo, taskOf } from './conversation.ts';
import { stem, stemsOf, wordsOf } from './words.ts';

export function general(conversation: Conversation): Answer {
  const task = taskOf(conversation);
  if (!task) return { text: 'There is nothing to do.', calls: [] };
  const results = task.calls.map(({ name, result = 'nothing' }) => `${name} said: ${short(result, 400)}`);
  if (results.length > 0) return { text: `${results.join('\n\n')}\n\n${end(results.length)}`, calls: [] };

  const call = fittingCall(conversation.tools, task.text);
  if (call) return { text: `I will ask ${call.name}.`, calls: [call] };
  const tools = conversation.tools.map(({ name }) => name);
  return {
    text: `You wrote: "${quoted(task.text)}". This model follows rules and understands nothing; set ANTHROPIC_API_KEY for one that does.${
      tools.length > 0 ? ` It calls a tool that is named with all of its input: ${tools.join(', ')}.` : ''
    }`,
    calls: [],
  };
}

/** What comes last is its own, and no announcement, whatever a tool has said: guards judge how an answer ends. */
const end = (results: number): string =>
  results === 1 ? 'That is what the tool returned.' : 'That is what the tools returned.';

/** Without what ends the quote or could be taken for a tool call in words. */
const quoted = (text: string): string => short(text.replaceAll(/["`<>[\]{}\s]+/g, ' ').trim(), 200);

/**
 * The tool whose name's words are all in the text, if the text also fills what it requires; else the one of which some
 * words are, if the text has what can only be its input: "Where is order 1001?" for `lookup_order`.
 */
function fittingCall(tools: readonly ToolInfo[], text: string): { name: string; input: object } | undefined {
  const words = stemsOf(text);
  const has = (word: string): boolean => words.has(stem(word));
  const wordsIn = ({ name }: ToolInfo): string[] => wordsOf(name.replaceAll(/[_-]/g, ' '));
  const named = tools.filter((tool) => text.includes(tool.name) || wordsIn(tool).every(has));
  const hinted = tools.filter((tool) => wordsIn(tool).some(has));
  return call(named, text, true) ?? call(hinted, text, false);
}

/** @param free whether the whole text may be a value of which nothing is said but that it is text */
function call(
  tools: readonly ToolInfo[],
  text: string,
  free: boolean,
): { name: string; input: object } | undefined {
  for (const { name, parameters } of tools) {
    const input = fill(parameters as Schema, text.replaceAll(name, ' '), free);
    if (input && (free || Object.keys(input).length > 0)) return { name, input };
  }
  return undefined;
}

interface Schema {
  properties?: Record<string, Property>;
  required?: string[];
}
interface Property {
  type?: string;
  enum?: unknown[];
  pattern?: string;
}

/** The required properties from what the text holds; undefined when one cannot be filled. */
function fill({ properties = {}, required = [] }: Schema, text: string, free: boolean): object | undefined {
  const quoted = /["'`]([^"'`]+)["'`]/.exec(text)?.[1];
  const input: Record<string, unknown> = {};
  for (const name of required) {
    const value = valueFor(properties[name] ?? {}, text, free, quoted);
    if (value === undefined) return undefined;
    input[name] = value;
  }
  return input;
}

function valueFor(property: Property, text: string, free: boolean, quoted: string | undefined): unknown {
  if (property.enum) return property.enum.find((value) => text.includes(String(value)));
  const number = /-?\d+(?:\.\d+)?/.exec(text)?.[0];
  switch (property.type) {
    case 'string':
      if (property.pattern !== undefined) return matching(property.pattern, text);
      return free ? (quoted ?? text.trim()) : undefined;
    case 'number':
      return number === undefined ? undefined : Number(number);
    case 'integer':
      return number === undefined ? undefined : Math.trunc(Number(number));
    case 'boolean':
      return free || undefined;
    default:
      return undefined;
  }
}

/** The first word of the text that a pattern takes, with what ends a sentence taken off. */
function matching(pattern: string, text: string): string | undefined {
  const allowed = new RegExp(pattern, 'u');
  const words = text.split(/\s+/).map((word) => word.replace(/^["'`(]+|["'`).,:;!?]+$/g, ''));
  return words.find((word) => word !== '' && allowed.test(word));
}

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
