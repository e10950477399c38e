/**
 * How the rule-based model serves any other agent: it calls a tool once if the task names it and the task's words fill its
 * input; then it tells what came of it.
 */

import { type Answer, type Conversation, taskOf } from './conversation.ts';
import { fittingCall } from './fitting.ts';

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

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
