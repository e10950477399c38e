/** Interprets a line that the user typed. Pure. */

import type { Decision } from '../../../shared/contract/ag-ui.ts';
import type { Interrupt } from '../../../shared/contract/events.ts';

export type Typed =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'decision'; readonly decision: Decision }
  | { readonly kind: 'agent'; readonly name: string }
  | { readonly kind: 'new' | 'help' | 'leave' | 'nothing' }
  | { readonly kind: 'wrong'; readonly sentence: string };

export const help = `  /new          begins a new session
  /agent NAME   talks to another agent, in a new session
  /help         shows this help
  /quit         exits, as Ctrl-C does when no run is going; during a run, Ctrl-C stops the run first

  Messages during a run are added to it.`;

/**
 * @param line the typed line
 * @param asked the run's open request, if it is for a person
 * @param agents names of the agents
 */
export function understand(line: string, asked: Interrupt | undefined, agents: readonly string[]): Typed {
  const text = line.trim();
  if (text.startsWith('/')) return command(text, agents);
  if (asked) return decided(text, asked);
  return text === '' ? { kind: 'nothing' } : { kind: 'message', text };
}

function command(text: string, agents: readonly string[]): Typed {
  const [name = '', ...words] = text.slice(1).split(/\s+/);
  const agent = words.join(' ');
  switch (name) {
    case 'new':
    case 'help':
      return { kind: name };
    case 'quit':
    case 'exit':
      return { kind: 'leave' };
    case 'agent':
      return agents.includes(agent)
        ? { kind: 'agent', name: agent }
        : {
            kind: 'wrong',
            sentence: `There is no agent ${agent || 'without a name'}; there are: ${agents.join(', ')}.`,
          };
    default:
      return { kind: 'wrong', sentence: `There is no /${name}; /help lists the commands.` };
  }
}

/** The decision in a line. */
type Decided = Extract<Typed, { kind: 'decision' | 'wrong' }>;

/** A question takes any answer; an approval only a clear one. */
export function decided(text: string, { id, reason }: Pick<Interrupt, 'id' | 'reason'>): Decided {
  if (reason === 'question')
    return text === ''
      ? { kind: 'wrong', sentence: 'It waits for an answer.' }
      : { kind: 'decision', decision: { id, approved: true, note: text } };
  if (reason === 'plan' && /^\d+(?:[\s,]+\d+)*$/.test(text))
    return { kind: 'decision', decision: { id, approved: text.split(/[\s,]+/).map(Number) } };
  const [, no, note = ''] = /^(no?)\b[\s,:]*(.*)$/is.exec(text) ?? [];
  if (/^y(es)?$/i.test(text)) return { kind: 'decision', decision: { id, approved: true } };
  if (no) return { kind: 'decision', decision: { id, approved: false, ...(note && { note }) } };
  return {
    kind: 'wrong',
    sentence: `Type y to let it run, ${reason === 'plan' ? 'the numbers of the changes that you approve, ' : ''}or n, with a reason if you like.`,
  };
}
