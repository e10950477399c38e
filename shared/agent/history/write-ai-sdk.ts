import type { Call, Result, Turn } from './turns.ts';
import { textsOf } from './write-openai.ts';

type UiPart =
  | { type: 'text'; text: string }
  | { type: 'step-start' }
  | {
      type: `tool-${string}`;
      toolCallId: string;
      input: unknown;
      state: 'output-available';
      output: unknown;
    }
  | {
      type: `tool-${string}`;
      toolCallId: string;
      input: unknown;
      state: 'output-error';
      errorText: string;
    };

/** A `UIMessage` of the AI SDK. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: UiPart[];
}

/**
 * Turns as `UIMessage`s: everything that the assistant does until the next message of the user is one message, with a
 * `step-start` before each reply.
 */
export function writeAiSdk(turns: readonly Turn[]): UiMessage[] {
  const messages: UiMessage[] = [];
  turns.forEach((turn, i) => {
    switch (turn.kind) {
      case 'user': {
        const parts = textsOf(turn.parts).map((text) => ({ type: 'text' as const, text }));
        messages.push({ id: turn.id ?? `user-${turn.at}`, role: 'user', parts });
        return;
      }
      case 'reply': {
        const next = turns[i + 1];
        const results = next?.kind === 'results' ? next.results : [];
        const parts: UiPart[] = [
          { type: 'step-start' },
          ...turn.texts.map((text) => ({ type: 'text' as const, text })),
          ...turn.calls.flatMap((call) => toolPart(call, results)),
        ];
        const last = messages.at(-1);
        if (last?.role === 'assistant') last.parts.push(...parts);
        else messages.push({ id: turn.id ?? `assistant-${turn.at}`, role: 'assistant', parts });
        return;
      }
      case 'results':
        // Results are in the parts of their calls.
        return;
      default:
        turn satisfies never;
    }
  });
  return messages;
}

function toolPart({ id, name, input }: Call, results: readonly Result[]): UiPart[] {
  const result = results.find(({ callId }) => callId === id);
  if (!result) return [];
  const base = { type: `tool-${name}` as const, toolCallId: id, input };
  return result.failed
    ? [{ ...base, state: 'output-error', errorText: result.text }]
    : [{ ...base, state: 'output-available', output: result.json ? JSON.parse(result.text) : result.text }];
}
