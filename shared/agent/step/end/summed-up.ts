import type { WrapUpSummary } from '../../../contract/events.ts';
import { callsOf, textOf } from '../../session/reply.ts';
import type { Slot } from '../../session/slots.ts';
import { sumsUp } from '../model/model-call.ts';

const titles = {
  findings: 'Findings',
  actionsTaken: 'Actions taken',
  failures: 'Failures',
  remainingWork: 'Remaining work',
  suggestedNextSteps: 'Suggested next steps',
} as const satisfies Record<keyof WrapUpSummary, string>;

/** A summary as text for a model: its lists that are not empty. Empty if there is nothing in it. */
export const summaryText = (summary: WrapUpSummary): string =>
  Object.entries(titles)
    .flatMap(([key, title]) => {
      const entries = summary[key as keyof WrapUpSummary];
      return entries.length > 0 ? [`${title}:\n${entries.map((entry) => `- ${entry}`).join('\n')}`] : [];
    })
    .join('\n\n');

/** The answer that a run had given when the request to wrap up came. Undefined if it was still at work. */
export function answerBefore(slots: readonly Slot[]): string | undefined {
  const said = slots.flatMap((slot) => (slot.kind === 'model' && !sumsUp(slot.textOnly) ? [slot] : []));
  const reply = said.at(-1)?.reply;
  return reply && callsOf(reply).length === 0 && reply.stop === 'end_turn'
    ? textOf(reply.content).trim().toWellFormed() || undefined
    : undefined;
}
