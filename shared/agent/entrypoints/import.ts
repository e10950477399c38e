import type { Naming } from '../../contract/listing.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Agent } from '../define/agent.ts';
import { defined } from '../plain/defined.ts';
import { groupsOf } from '../plain/groups.ts';
import { hash } from '../plain/hash.ts';
import type { Ports } from '../ports/ports.ts';
import type { PriceOf } from '../session/pinned.ts';
import type { SessionOptions } from '../session/session.ts';
import type { Slot } from '../session/slots.ts';
import { titleOf } from '../session/title.ts';
import { pinnedSession } from './accept.ts';
import { FIRST_SEQ, tellThatItIsThere } from './begin-with-messages.ts';

/** Slots that are written in parallel: they are items of one partition. */
const AT_ONCE = 20;

/** A conversation that becomes a session. */
export interface Import {
  readonly agent: Agent;
  /** The whole request, as text: a repetition under the same key must be identical. */
  readonly asked: string;
  readonly options: SessionOptions;
  readonly called: Partial<Pick<Naming, 'title' | 'metadata'>>;
  /** Makes its slots, at least one, from 0 on. They depend only on this id and the request. */
  readonly slots: (importId: string) => Promise<readonly Slot[]>;
}

/** The outcome of an import. */
export type ImportedAs =
  | { readonly kind: 'imported' | 'repeated'; readonly slots: number }
  /** The key belongs to another import, or to a session that was not imported. */
  | { readonly kind: 'other' }
  /** The key belongs to a session that was deleted a short time ago. */
  | { readonly kind: 'gone' };

/**
 * Creates a session whose first slots are a conversation from another system. It is at rest, and a message begins a run of it.
 *
 * Slots are written before HEAD, and readers use only slots below HEAD's version. Until HEAD exists they are invisible, and the
 * repetition of an import that died writes the same slots again. A record, of which the first stands, decides before the first
 * slot which import a key belongs to: otherwise two different imports could mix their slots. Slots have epoch 0, below that of
 * every owner, and numbers below the version: no step ever writes there.
 */
export async function importSession(
  key: SessionKey,
  { agent, asked, options, called, slots: makeSlots }: Import,
  priceOf: PriceOf,
  io: Pick<Ports, 'sessions' | 'listings' | 'log' | 'clock'>,
): Promise<ImportedAs> {
  const importId = `import-${hash(asked, 24)}`;
  const existing = await io.sessions.read(key);
  if (existing) {
    const [first] = await io.sessions.slots(key, 0, { below: 1, bytes: 1 });
    if (first?.slot.runId !== importId) return { kind: 'other' };
  } else if ((await firstImportOf(key, importId, io)) !== importId) return { kind: 'other' };

  const slots = await makeSlots(importId);
  let isRepeated = existing !== undefined;
  if (!isRepeated) {
    for (const some of groupsOf(slots, AT_ONCE))
      await Promise.all(some.map((slot) => io.sessions.putSlot(key, 0, slot)));
    const session = await pinnedSession(key, agent, priceOf, io, options);
    const made = await io.sessions.create({
      ...session,
      version: slots.length,
      eventSeq: FIRST_SEQ,
    });
    if (made.kind === 'gone') return { kind: 'gone' };
    isRepeated = made.kind === 'exists';
  }
  await tellThatItIsThere({ key, agent: agent.name }, 'imported', namingOf(slots, options, called), io);
  return { kind: isRepeated ? 'repeated' : 'imported', slots: slots.length };
}

/**
 * The first import under this key, which is this one if there is none. It is stored where the results of slot 0 would be, which
 * no batch has.
 */
async function firstImportOf(
  key: SessionKey,
  importId: string,
  { sessions }: Pick<Ports, 'sessions'>,
): Promise<string | undefined> {
  const record = { callId: 'import', name: 'import', outcome: 'ok', durationMs: 0 } as const;
  await sessions.putResult(key, 0, { ...record, content: importId });
  const kept = await sessions.results(key, 0);
  return kept.find(({ callId }) => callId === record.callId)?.content;
}

/** The session's name: the given title, or the first message of a person. */
function namingOf(
  slots: readonly Slot[],
  { user }: SessionOptions,
  { title, metadata }: Import['called'],
): Naming {
  const said = slots.flatMap((slot) => (slot.kind === 'model' ? slot.input : []));
  const first = said.find(({ internal, text }) => !internal && text !== '')?.text ?? '';
  return {
    title: titleOf(title ?? '') || titleOf(first) || 'an imported conversation',
    source: 'http',
    ...(user && { user }),
    ...defined({ metadata }),
  };
}
