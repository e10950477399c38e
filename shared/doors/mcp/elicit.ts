/** Turns a wait into a form that a client shows to a person, and the filled-in form into a decision. Pure. */

import { type InputRequest, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Decision } from '../../contract/ag-ui.ts';
import { MAX_NOTE, type WaitDetails } from '../../contract/http.ts';
import { printable } from '../../contract/printable.ts';

const note = z.string().max(MAX_NOTE);
const Approval = z.object({
  // No default, so that pressing a key too early does not approve.
  decision: z.enum(['approve', 'refuse']),
  why: note.optional().describe('Why not: the agent reads it.'),
});
const Answer = z.object({ answer: note.min(1) });

/**
 * The form for a wait. Undefined if a form cannot decide it: an approval whose arguments cannot be shown in full or whose tool
 * has changed since, or a plan, of which people may approve single changes.
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
    case 'page':
    case 'child':
    case 'timer':
      return undefined;
    default:
      return wait.kind satisfies never;
  }
}

/**
 * The decisions in forms. A declined, dismissed or invalid form decides nothing, and the run keeps waiting.
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
