import type { Message, ModelRequest, Provider } from '../../shared/agent/ports/provider.ts';
import type { Queue } from '../../shared/agent/ports/queue.ts';
import type { SessionStore, SessionView, StoredSlot } from '../../shared/agent/ports/sessions.ts';
import type { Pinned } from '../../shared/agent/session/pinned.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import type { Slot } from '../../shared/agent/session/slots.ts';
import type { Wake } from '../../shared/contract/queue.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { World } from './world.ts';

/**
 * Session fields that a version from before folds and packs does not know. They stay on HEAD as they are
 * (`shared/aws/head.ts`).
 */
const unknown = ['fold', 'mustFold', 'packed'] as const satisfies (keyof Session)[];

/**
 * The store as a worker of that version sees it, which keeps running after a deploy. It reads the head of a fold where
 * it stands.
 */
export function asOlder(sessions: SessionStore, { memory }: Pick<World, 'memory'>): SessionStore {
  const headOf = ({ tenant, sessionId }: SessionKey) => memory.table.heads.get(`${tenant}#${sessionId}`);
  return {
    ...sessions,
    async claim(request) {
      const result = await sessions.claim(request);
      return 'view' in result ? { ...result, view: asSeen(result.view) } : result;
    },
    async read(key) {
      const view = await sessions.read(key);
      return view && asSeen(view);
    },
    async definition(tenant, hash) {
      const pinned = await sessions.definition(tenant, hash);
      return pinned && ofOld(pinned);
    },
    slots: async (key, from, page) => (await sessions.slots(key, from, page)).map(plain),
    commit(request) {
      const { session } = headOf(request.session.key) ?? {};
      const kept = Object.fromEntries(unknown.map((name) => [name, session?.[name]]));
      return sessions.commit({ ...request, session: { ...request.session, ...kept } });
    },
  };
}

/**
 * The model as such a worker calls it. If a context begins in the middle, it sends the part from the first input on. A
 * refusal that it does not know is a wrong request to it.
 */
export const olderModel = (provider: Provider): Provider => ({
  async complete(request, onDelta, signal) {
    const asked = { ...request, messages: fromFirstInput(request.messages) };
    estimated.set(asked, request);
    const outcome = await provider.complete(asked, onDelta, signal);
    if (outcome.kind !== 'failed') return outcome;
    const { kind, code, message } = outcome.failure;
    if (kind !== 'too_long' && kind !== 'thinking_mismatch') return outcome;
    return { ...outcome, failure: { kind: 'fatal', code, message } };
  },
});

/** A wake as such a worker reads it, without the message attribute that it does not know. */
export const plainWake = ({ recent: _, ...wake }: Wake): Wake => wake;

/** The queue as such a worker sends to it. */
export const olderQueue = (queue: Queue): Queue => ({
  ...queue,
  send: (wake, delayMs) => queue.send(plainWake(wake), delayMs),
});

/** The request from which estimates are made here, by the request that such a worker sends. */
const estimated = new WeakMap<ModelRequest, ModelRequest>();
export const asEstimated = (request: ModelRequest): ModelRequest => estimated.get(request) ?? request;

function fromFirstInput(messages: readonly Message[]): readonly Message[] {
  const isSaid = ({ type }: { readonly type: string }) => type === 'text';
  const first = messages.findIndex(({ role, content }) => role === 'user' && content.some(isSaid));
  const [head, ...rest] = messages.slice(first);
  // Its results belong to calls that are left out.
  return first > 0 && head ? [{ ...head, content: head.content.filter(isSaid) }, ...rest] : messages;
}

const without = <Of extends object>(value: Of, names: readonly (keyof Of)[]): Of =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name as keyof Of))) as Of;

const asSeen = (view: SessionView): SessionView => ({ ...view, session: without(view.session, unknown) });

const plain = (stored: StoredSlot): StoredSlot => ({ ...stored, slot: unfolded(stored.slot) });

function unfolded(slot: Slot): Slot {
  if (slot.kind === 'tools') return slot;
  const { fold: _, reply, ...rest } = slot;
  return { ...rest, ...(reply && { reply: without(reply, ['fold']) }) };
}

/** With an unlimited window, since this version never checks the length of a request. */
function ofOld(pinned: Pinned): Pinned {
  const { context: _, ...guardrails } = pinned.guardrails;
  return without({ ...pinned, guardrails } as Pinned, ['window', 'summarizer']);
}
