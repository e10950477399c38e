import type { Pinned } from '../../session/pinned.ts';
import type { Reply } from '../../session/reply.ts';
import type { Halt } from '../../session/verdict.ts';
import { texts } from '../../texts.ts';
import type { Ending } from '../draft.ts';
import { contextFull } from './fold-instead.ts';
import { refusedAs } from './refused.ts';

/** Endings that the stop reason alone decides. */
export function endingByStop(reply: Reply, { guardrails }: Pinned): Ending | undefined {
  const detail = reply.stopDetail ?? 'no reason given';
  const says = (halt: Omit<Halt, 'kind'>): Ending => ({ kind: 'halt', halt });
  switch (reply.stop) {
    case 'pause_turn':
      return { kind: 'continue' };
    case 'refusal':
      return says(refusedAs(detail));
    case 'context_limit':
      return says({
        ...contextFull("The conversation has reached the end of the model's context window."),
        // Asking again with the same context would not recover it.
        ...(guardrails.context.strategy !== 'none' && {
          recover: { scenario: 'context_exhaustion', text: texts.contextExhausted },
        }),
      });
    case 'end_turn':
    case 'unknown':
    case 'tool_use':
    case 'max_tokens':
    case 'deadline':
    case 'interrupted':
      return undefined;
    default:
      return reply.stop satisfies never;
  }
}
