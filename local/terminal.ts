/** Shows a run in the terminal while it happens: steps, streamed text, tool calls, tokens and dollars. */

import type { AgUiEvent, Interrupt, RunResult } from '../shared/contract/events.ts';
import { about, count, dollars, oneLine, seconds, tokens, totalTokens } from './amounts.ts';
import type { Paint } from './paint.ts';
import { printable, wrapped } from './printable.ts';

export interface TerminalOptions {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  /** Columns; long arguments and results are cut to it. */
  readonly width: number;
  /** How to decide an open request, in a few words. Default: with an HTTP request, which is shown. */
  readonly howToDecide?: (asked: Interrupt, sessionId: string) => string;
}

const indent = '  ';

/** Returns a function that shows one event. */
export function terminal({
  write,
  paint,
  width,
  howToDecide = byRequest,
}: TerminalOptions): (event: AgUiEvent) => void {
  /** Calls by id: arguments come in pieces, results name only the id. */
  const calls = new Map<string, { name: string; args: string }>();
  /** The message whose text is being written, on an unfinished line. */
  let speaking: string | undefined;
  /** Status of people's messages, each of which is shown in one line when it is complete. */
  const heard = new Map<string, string>();

  const line = (text: string) => {
    if (speaking !== undefined) write('\n');
    speaking = undefined;
    write(`${text}\n`);
  };
  const cut = (text: string, used: number) => oneLine(printable(text), Math.max(20, width - used));

  const speak = (messageId: string, text: string, style: 'dim' | undefined) => {
    if (speaking !== messageId) {
      if (speaking !== undefined) write('\n');
      write(indent);
      speaking = messageId;
    }
    const shown = printable(text).replaceAll('\n', `\n${indent}`);
    write(style ? paint(style, shown) : shown);
  };

  /** Shows an open request, and how to decide it. */
  const ask = (asked: Interrupt, sessionId: string) => {
    const { reason, message = '', expiresAt } = asked;
    const isApproval = reason === 'approval' || reason === 'plan';
    if (reason === 'callback' || reason === 'page' || reason === 'child' || reason === 'timer')
      return line(`${indent}${paint('yellow', `It waits: ${printable(message)}`)}`);
    if (!isApproval && reason !== 'question') return;
    line(
      `${indent}${paint('yellow', reason === 'plan' ? 'May it do this?' : isApproval ? 'May it run this?' : 'It asks:')}`,
    );
    for (const text of wrapped(printable(message), width - 2 * indent.length))
      line(`${indent}${indent}${text}`);
    const until = expiresAt === undefined ? '' : `, until ${expiresAt}`;
    line(paint('dim', `${indent}${howToDecide(asked, sessionId)}${until}`));
  };

  return (event) => {
    switch (event.type) {
      case 'RUN_STARTED':
        return line(paint('dim', `run ${event.runId}`));
      case 'STEP_STARTED':
        return line(paint('bold', rule(event.stepName, width)));
      case 'TEXT_MESSAGE_START':
        if (event.role === 'user') heard.set(event.messageId, '');
        return;
      case 'TEXT_MESSAGE_CONTENT': {
        const before = heard.get(event.messageId);
        if (before === undefined) return speak(event.messageId, event.delta, undefined);
        heard.set(event.messageId, before + event.delta);
        return;
      }
      case 'REASONING_MESSAGE_CONTENT':
        return speak(event.messageId, event.delta, 'dim');
      case 'TEXT_MESSAGE_END':
      case 'REASONING_MESSAGE_END': {
        const text = heard.get(event.messageId);
        if (text !== undefined) return line(paint('dim', `${indent}> ${cut(text, 4)}`));
        if (speaking === event.messageId) {
          write('\n');
          speaking = undefined;
        }
        return;
      }
      case 'TOOL_CALL_START':
        calls.set(event.toolCallId, { name: event.toolCallName, args: '' });
        return;
      case 'TOOL_CALL_ARGS': {
        const call = calls.get(event.toolCallId);
        if (call) call.args += event.delta;
        return;
      }
      case 'TOOL_CALL_END': {
        const { name, args } = calls.get(event.toolCallId) ?? { name: 'a tool', args: '' };
        return line(`${indent}${paint('cyan', `→ ${name}`)} ${cut(args, name.length + 5)}`);
      }
      case 'TOOL_CALL_RESULT': {
        const name = calls.get(event.toolCallId)?.name ?? 'a tool';
        const failed = event.content.startsWith('Error [');
        const text = cut(event.content, name.length + 5);
        return line(`${indent}${paint(failed ? 'red' : 'green', `← ${name}`)} ${paint('dim', text)}`);
      }
      case 'RUN_FINISHED': {
        const { outcome, threadId, result } = event;
        if (outcome.type === 'interrupt') for (const one of outcome.interrupts) ask(one, threadId);
        return line(ending(result, paint));
      }
      case 'RUN_ERROR':
        return line(paint('red', `✗ ${event.code}: ${event.message}`));
      case 'CUSTOM': {
        const text = wordOn(event);
        if (text === undefined) return;
        return line(paint(event.name === 'steploop.usage' ? 'dim' : 'yellow', `${indent}${text}`));
      }
      case 'STEP_FINISHED':
      case 'REASONING_MESSAGE_START':
      case 'MESSAGES_SNAPSHOT':
      case 'ACTIVITY_SNAPSHOT':
        return;
      default:
        return event satisfies never;
    }
  };
}

function byRequest({ id, reason }: Interrupt, sessionId: string): string {
  const decision = JSON.stringify({ id, approved: true, ...(reason === 'question' && { note: '…' }) });
  return `Decide with POST /sessions/${sessionId}/decisions ${decision}`;
}

/** A tool source is contacted before the model is, and its error message says which one. */
const whatFailed = ({ code, message }: { readonly code: string; readonly message: string }): string =>
  code === 'tool_source_unreachable' ? message.replace(/^t/, 'T') : `The model failed (${message})`;

/** A sentence for one of the loop's own events; undefined if it is shown elsewhere. */
function wordOn(event: Extract<AgUiEvent, { type: 'CUSTOM' }>): string | undefined {
  switch (event.name) {
    case 'steploop.attached': {
      const names = event.value.attachments.map(({ name }) => name);
      return `With it: ${printable(names.join(', '))}.`;
    }
    case 'steploop.usage': {
      const { usage, costUsd, estimated, totals } = event.value;
      return `${about(estimated)}${tokens(usage)}, ${dollars(costUsd)}; ${about(totals.estimated)}${dollars(totals.costUsd)} so far`;
    }
    case 'steploop.guard':
      return `${event.value.guard}: ${event.value.message}`;
    case 'steploop.retry':
      return `${whatFailed(event.value)}; again in ${seconds(event.value.delayMs)}.`;
    case 'steploop.provider_switch':
      return `${event.value.from.model} failed (${event.value.why}); ${event.value.to.model} continues.`;
    case 'steploop.aborted':
      return `Retracted: ${event.value.why}.`;
    case 'steploop.recovered':
      return event.value.adopted
        ? 'Recovered, with the saved model reply.'
        : `Recovered, attempt ${event.value.attempt}.`;
    case 'steploop.recovery':
      return `Recovering from ${event.value.scenario.replaceAll('_', ' ')} instead of ending.`;
    case 'steploop.server_tools':
      return `Run by the model's server: ${printable(event.value.calls.map(({ name }) => name).join(', ') || 'nothing')}; ${event.value.citations.length} citations.`;
    case 'steploop.omitted':
      return event.value.message;
    case 'steploop.tenant_budget':
      return `Tenant ${event.value.tenant} is at its limit of ${event.value.exceeded} for ${event.value.day}.`;
    case 'steploop.tools_missing':
      return `Without the tools of ${event.value.source}: ${event.value.why}.`;
    case 'steploop.tools_omitted': {
      const { source, tools, more = 0 } = event.value;
      const [first] = tools;
      const others = tools.length - 1 + more;
      return `Left out of ${source}: ${first?.tool}, which ${first?.why}${others > 0 ? `; and ${others} more` : ''}.`;
    }
    case 'steploop.server_rule':
      return `The server of ${event.value.model} refused a request: from now on, ${event.value.what}.`;
    case 'steploop.files':
      return `Files changed: ${event.value.changed.map(({ path }) => path).join(', ')}${event.value.count > event.value.changed.length ? ', …' : ''}.`;
    case 'steploop.skill': {
      const { skill, path } = event.value;
      return `Skill read: ${printable(path === undefined ? skill : `${skill}, ${path}`)}.`;
    }
    case 'steploop.handoff':
      return `${printable(event.value.from)} hands over to ${printable(event.value.to)}.`;
    case 'steploop.tasks': {
      const { tasks } = event.value;
      const done = tasks.filter(({ state }) => state === 'done').length;
      return `Tasks: ${done} of ${tasks.length} done.`;
    }
    case 'steploop.decided': {
      const { outcome, by } = event.value;
      return `${outcome[0]?.toUpperCase()}${outcome.slice(1)}${by ? ` by ${by}` : ''}.`;
    }
    case 'steploop.decided_before':
      return event.value.detail;
    case 'steploop.folded':
      return `The context was compacted: about ${event.value.tokens.after} tokens instead of ${event.value.tokens.before}.`;
    case 'steploop.assessed': {
      const { finding, why } = event.value;
      return `Progress: ${finding.replace('_', ' ')}.${why ? ` ${printable(why)}` : ''}`;
    }
    case 'steploop.progress': {
      const { message, share } = event.value;
      return share === undefined ? printable(message) : `${Math.round(100 * share)} % ${printable(message)}`;
    }
    case 'steploop.folding':
    case 'steploop.snapshot_needed':
    case 'steploop.reconnect':
    case 'steploop.ended':
      return undefined;
    default:
      return event satisfies never;
  }
}

/** The last line of a run. */
export function ending(
  { success, state, reason, steps, toolCalls, totals }: RunResult,
  paint: Paint,
): string {
  const how = success ? paint('green', `✓ ${reason}`) : paint('red', `✗ ${state}: ${reason}`);
  const sums = [
    count(steps, 'step'),
    count(toolCalls, 'tool call'),
    `${about(totals.estimated)}${count(totalTokens(totals), 'token')}`,
    dollars(totals.costUsd),
  ];
  return `${how} ${paint('dim', '·')} ${sums.join(' · ')}`;
}

const rule = (title: string, width: number): string =>
  `── ${title} ${'─'.repeat(Math.max(3, Math.min(width, 80) - title.length - 4))}`;
