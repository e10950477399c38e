/** What a run waits for, as a form that a client shows to a person, and what they said in it. Pure. */

import { type InputRequest, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { printable } from '../../local/printable.ts';
import { MAX_NOTE, type WaitDetails } from '../../shared/contract/http.ts';
import type { Decision } from '../../web/client/index.ts';

const note = z.string().max(MAX_NOTE);
const Approval = z.object({
  // No default: nobody approves by pressing a key too early.
  decision: z.enum(['approve', 'refuse']),
  why: note.optional().describe('Why not: the agent reads it.'),
});
const Answer = z.object({ answer: note.min(1) });

/**
 * The form for a wait. Undefined when it cannot be decided in one: of an approval not all that would be run can be shown, or the
 * tool has changed since; or it is a plan, of which people may approve single changes.
 */
export function formOf(wait: WaitDetails): InputRequest | undefined {
  switch (wait.kind) {
    case 'approval':
      return wait.whole === undefined || wait.isWhole === false || !wait.isAsAsked
        ? undefined
        : inputRequired.elicit({
            message: `May the agent run this?\n\n${printable(wait.whole)}`,
            requestedSchema: Approval,
          });
    case 'question':
      return inputRequired.elicit({
        message: `The agent asks:\n\n${printable(wait.whole ?? wait.message)}`,
        requestedSchema: Answer,
      });
    case 'plan':
    case 'call':
    case 'callback':
      return undefined;
    default:
      return wait.kind satisfies never;
  }
}

/**
 * What was decided in forms. Nothing of one that was declined or dismissed, or is filled in otherwise than it was asked for: the
 * run waits on.
 *
 * @param responses by the ids of waits, unchecked
 */
export function decisionsIn(responses: Record<string, unknown>): Decision[] {
  return Object.keys(responses).flatMap((id): Decision[] => {
    const said = inputResponse(responses, id);
    if (said.kind !== 'elicit' || said.action !== 'accept') return [];
    const approval = Approval.safeParse(said.content);
    if (approval.success) {
      const { decision, why } = approval.data;
      return [{ id, approved: decision === 'approve', ...(why && { note: why }) }];
    }
    const answer = Answer.safeParse(said.content);
    return answer.success ? [{ id, approved: true, note: answer.data.answer }] : [];
  });
}
