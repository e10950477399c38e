import * as z from 'zod';
import { AgentName } from '../session.ts';

const id = z.string().min(1).max(256);

/** A part of a message. Only some kinds are used here ({@link contentIn}, {@link answersIn}). */
const Part = z.looseObject({ type: z.string().max(256) });
type Part = z.infer<typeof Part>;

/**
 * The body of `POST /chat`, as `DefaultChatTransport` of the package `ai` sends it. Pages may add fields of their own, so unknown ones
 * are left out and not refused.
 */
export const ChatInput = z.object({
  /** The chat's id: the page's name for the session. */
  id,
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  /** The message that is sent again, or whose calls are answered. */
  messageId: id.nullish(),
  /** Only the last user message of these can be new, and only the page's answers count: the history is the server's. */
  messages: z
    .array(z.object({ id, role: z.string().max(64), parts: z.array(Part).max(10_000) }))
    .min(1)
    .max(100_000),
  /** Tools that the page runs: a list, or an object by their names (`page.ts`). */
  tools: z.unknown().optional(),
  /** Used if the path names no agent. */
  agent: AgentName.optional(),
  mode: z.enum(['act', 'plan']).optional().catch(undefined),
  /** Time zone of the page, by its IANA name. */
  zone: z.string().max(64).optional().catch(undefined),
});
export type ChatInput = z.infer<typeof ChatInput>;

/** A page's answer to a wait of a call, sent with a message of the assistant. */
export type ChatAnswer =
  /** To an approval, by its id. */
  | { readonly kind: 'approval'; readonly id: string; readonly approved: boolean; readonly note?: string }
  /** To a question, or to a call that the page carries out itself, by the call. */
  | {
      readonly kind: 'answer';
      readonly toolCallId: string;
      readonly approved: boolean;
      /** As text. */
      readonly note: string;
      /** As the page has sent it. */
      readonly output: unknown;
    };

const Approval = z.object({
  state: z.literal('approval-responded'),
  approval: z.object({ id, approved: z.boolean(), reason: z.string().nullish() }),
});
const Answer = z.object({
  toolCallId: id,
  /** A page may answer only calls that it runs itself. */
  providerExecuted: z.literal(false).nullish(),
  state: z.literal('output-available'),
  output: z.unknown(),
});
const Refused = z.object({ ...Answer.shape, state: z.literal('output-error'), errorText: z.string() });

/** The page's answers in a message of the assistant. */
export function answersIn(parts: readonly Part[]): ChatAnswer[] {
  return parts.flatMap((part): ChatAnswer[] => {
    const approval = Approval.safeParse(part);
    if (approval.success) {
      const { id: of, approved, reason } = approval.data.approval;
      return [{ kind: 'approval', id: of, approved, ...(reason && { note: reason }) }];
    }
    const answer = Answer.safeParse(part);
    if (answer.success) {
      const { toolCallId, output } = answer.data;
      const note = typeof output === 'string' ? output : JSON.stringify(output ?? null);
      return [{ kind: 'answer', toolCallId, approved: true, note, output: output ?? null }];
    }
    const refused = Refused.safeParse(part);
    if (!refused.success) return [];
    const { toolCallId, errorText: note } = refused.data;
    return [{ kind: 'answer', toolCallId, approved: false, note, output: null }];
  });
}

/**
 * The content of a user's message, in AG-UI's form (`ag-ui-parts.ts`): files are passed by their `data:` or `https:`
 * URLs.
 */
export const contentIn = (parts: readonly Part[]): object[] =>
  parts
    .filter(({ type }) => type !== 'step-start' && !type.startsWith('data-'))
    .map((part) => {
      if (part.type !== 'file') return part;
      const { url: value, mediaType: mimeType, filename } = part;
      const kind = /^(image|audio|video)\b/.exec(String(mimeType))?.[0] ?? 'document';
      return { type: kind, source: { type: 'url', value, mimeType }, metadata: { filename } };
    });

/** Calls that a message shows, and which of them have a result. */
export function callsIn(parts: readonly Part[]): { readonly id: string; readonly isDone: boolean }[] {
  return parts.flatMap(({ toolCallId, state }) =>
    typeof toolCallId === 'string' ? [{ id: toolCallId, isDone: String(state).startsWith('output-') }] : [],
  );
}
