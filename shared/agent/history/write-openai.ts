import type { Turn } from './turns.ts';

/** A message of OpenAI's chat completions. */
export type OpenaiMessage =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: OpenaiCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

interface OpenaiCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Turns as messages of chat completions. A failed call becomes its text, because the format has no field for failures. */
export const writeOpenai = (turns: readonly Turn[]): OpenaiMessage[] =>
  turns.flatMap((turn): OpenaiMessage[] => {
    switch (turn.kind) {
      case 'user':
        return [{ role: 'user', content: textsOf(turn.parts).join('\n\n') }];
      case 'reply': {
        const calls = turn.calls.map(({ id, name, input }) => ({
          ...{ id, type: 'function' as const },
          function: { name, arguments: JSON.stringify(input) },
        }));
        const content = turn.texts.join('') || null;
        return [{ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }];
      }
      case 'results':
        return turn.results.map(({ callId, text }) => ({
          role: 'tool',
          tool_call_id: callId,
          content: text,
        }));
      default:
        return turn satisfies never;
    }
  });

/** The texts of a turn. Turns that are written out contain no bytes. */
export const textsOf = (parts: (Turn & { kind: 'user' })['parts']): string[] =>
  parts.flatMap((part) => ('text' in part ? [part.text] : []));
