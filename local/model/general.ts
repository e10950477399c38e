/** The rule-based model for any other agent: it calls a tool once if the task names it and fills its input, then reports the result. */

import { type Answer, type Conversation, isSent, sentIn, taskOf } from './conversation.ts';
import { fittingCall } from './fitting.ts';

export function general(conversation: Conversation): Answer {
  const task = taskOf(conversation);
  const text = said(task?.text ?? '');
  if (!task) return { text: 'There is nothing to do.', calls: [] };
  const results = task.calls.map(({ name, result = 'nothing' }) => `${name} said: ${short(result, 400)}`);
  if (results.length > 0) return { text: `${results.join('\n\n')}\n\n${end(results.length)}`, calls: [] };

  const call = isSent(task.text) ? undefined : fittingCall(conversation.tools, text);
  if (call) return { text: `I will ask ${call.name}.`, calls: [call] };
  const tools = conversation.tools.map(({ name }) => name);
  return {
    text: `${gotText(sentIn(conversation))}${isSent(task.text) ? '' : `You wrote: "${quoted(text)}". `}This model follows rules and understands nothing; set ANTHROPIC_API_KEY for one that does.${
      tools.length > 0 ? ` It calls a tool that is named with all of its input: ${tools.join(', ')}.` : ''
    }`,
    calls: [],
  };
}

/** Without its sender: a message from Slack begins with it (`shared/slack/inbound.ts`). */
const said = (text: string): string => text.replace(/^Slack message from <@\w+>[^\n]*:\n\n/, '');

/** Describes the attachments of a message: "I got 1 image: plan.png, 30×20." */
function gotText(sent: readonly string[]): string {
  if (sent.length === 0) return '';
  const kinds = ['image', 'document', 'file'].flatMap((kind) => {
    const { length } = sent.filter(
      (line) => line.startsWith(kind) && !line.includes('" is not shown to you'),
    );
    return length > 0 ? [`${length} ${kind}${length > 1 ? 's' : ''}`] : [];
  });
  const named = sent.map((line) => line.replace(/^\w+ /, '').replaceAll('"', ''));
  return `I got ${kinds.join(' and ')}: ${short(named.join('; '), 400)}. `;
}

/** A fixed last sentence that is not an announcement, whatever a tool has returned: guards judge how an answer ends. */
const end = (results: number): string =>
  results === 1 ? 'That is what the tool returned.' : 'That is what the tools returned.';

/** Without characters that end the quote or look like a tool call in text. */
const quoted = (text: string): string => short(text.replaceAll(/["`<>[\]{}\s]+/g, ' ').trim(), 200);

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
