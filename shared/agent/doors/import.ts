import type { Naming } from '../../contract/listing.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Agent } from '../define/agent.ts';
import { hash } from '../plain/hash.ts';
import type { Ports } from '../ports/ports.ts';
import { titleOf } from '../session/listing.ts';
import type { PriceOf } from '../session/pinned.ts';
import type { SessionOptions } from '../session/session.ts';
import type { Slot } from '../session/slots.ts';
import { pinnedSession } from './accept.ts';
import { FIRST_SEQ, tellThatItIsThere } from './begin-with-messages.ts';

/** Slots that are put at once: they are items of one partition. */
const AT_ONCE = 20;

/** A conversation that becomes a session. */
export interface Import {
  readonly agent: Agent;
  /** All that was asked for, as text: an import that is repeated under its key must be the same. */
  readonly asked: string;
  readonly options: SessionOptions;
  readonly called: Partial<Pick<Naming, 'title' | 'metadata'>>;
  /** Makes its slots, one at least, from 0 on: from this id alone, and from what was asked. */
  readonly slots: (importId: string) => Promise<readonly Slot[]>;
}

/** What came of an import. */
export type ImportedAs =
  | { readonly kind: 'imported' | 'repeated'; readonly slots: number }
  /** The key has led to another import, or to a session that is none. */
  | { readonly kind: 'other' }
  /** It has led to a session that was deleted a short time ago. */
  | { readonly kind: 'gone' };

/**
 * Makes a session whose first slots are a conversation that was had elsewhere. It rests then, and a message begins a run of it.
 *
 * Slots are put before HEAD, and readers use only slots below HEAD's version: until it is made nobody sees any of it, and an import
 * that has died on the way is done again by its repetition, which puts the same slots. Which import a key is for is decided
 * before the first slot, by a record of which the first stands: two different ones would else write into each other. Slots have epoch 0,
 * below that of every owner, and numbers below the version: no step ever writes there.
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
    for (let at = 0; at < slots.length; at += AT_ONCE)
      await Promise.all(slots.slice(at, at + AT_ONCE).map((slot) => io.sessions.putSlot(key, 0, slot)));
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

/** The import that has come first under this key, which is this one if none has. It is kept where results of slot 0 are, which no batch has. */
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

/** What it is called: as somebody says, or by the first that a person has said in it. */
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
    ...(metadata && { metadata }),
  };
}
