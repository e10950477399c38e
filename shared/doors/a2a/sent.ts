/** The content of a message of an A2A client. Pure. */

import * as z from 'zod';
import type { Decision } from '../../contract/ag-ui.ts';
import { MAX_NOTE, type WaitInfo } from '../../contract/http.ts';

/** A part of a message, without the protocol's wrapping. */
export type SentPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'file' };

/** A data part that decides: `{ "wait": "…", "decision": "approve" | "refuse", "why": "…" }`, or `{ "wait": "…", "answer": "…" }`. */
const DecisionPart = z.union([
  z.strictObject({
    wait: z.string().min(1).optional(),
    decision: z.enum(['approve', 'refuse']),
    why: z.string().max(MAX_NOTE).optional(),
  }),
  z.strictObject({ wait: z.string().min(1).optional(), answer: z.string().min(1).max(MAX_NOTE) }),
]);
type DecisionPart = z.infer<typeof DecisionPart>;

export interface SentContent {
  readonly text: string;
  readonly decisions: readonly DecisionPart[];
}

/** The text and the decisions in a message; undefined if it has a part that agents cannot read over A2A. */
export function contentOf(parts: readonly SentPart[]): SentContent | undefined {
  if (parts.some(({ kind }) => kind === 'file')) return undefined;
  const decisions: DecisionPart[] = [];
  const texts: string[] = [];
  for (const part of parts) {
    if (part.kind === 'text') texts.push(part.text);
    if (part.kind !== 'data') continue;
    const { data: decision } = DecisionPart.safeParse(part.data);
    if (decision) decisions.push(decision);
    else texts.push(JSON.stringify(part.data));
  }
  return { text: texts.join('\n\n').trim(), decisions };
}

/**
 * The decisions that a message to a waiting run makes: those of its data parts, or its text as the answer to the only open
 * question. A text never approves. A sentence if it decides nothing.
 */
export function decisionsFor(
  { text, decisions }: SentContent,
  asks: readonly WaitInfo[],
): readonly Decision[] | string {
  const [only, ...more] = asks;
  if (decisions.length === 0) {
    if (only?.kind === 'question' && more.length === 0 && text !== '')
      return [{ id: only.id, approved: true, note: text }];
    return `The task waits for ${asks.map(({ id, kind, tool }) => `${id} (${kind} of ${tool})`).join(', ')}. Send a data part { "wait": "<id>", "decision": "approve" | "refuse" }, or { "wait": "<id>", "answer": "<text>" } for a question.`;
  }
  const made: Decision[] = [];
  for (const decision of decisions) {
    const id = decision.wait ?? (more.length === 0 ? only?.id : undefined);
    if (id === undefined)
      return `Name the wait that is decided: ${asks.map(({ id: one }) => one).join(', ')}.`;
    if ('answer' in decision) made.push({ id, approved: true, note: decision.answer });
    else
      made.push({
        ...{ id, approved: decision.decision === 'approve' },
        ...(decision.why !== undefined && { note: decision.why }),
      });
  }
  return made;
}
