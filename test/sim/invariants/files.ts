/**
 * Invariant 31: the files of a session are what its calls have made of them. Held against what the tools themselves have read and
 * written, and what came to the store; a result is asked only whose run it is of.
 */

import { blobKey } from '../../../shared/agent/plain/blob-key.ts';
import type { Session } from '../../../shared/agent/session/session.ts';
import type { InputTurn, Slot, ToolResult, ToolsSlot } from '../../../shared/agent/session/slots.ts';
import { contentHash } from '../../../shared/agent/workspace/content.ts';
import type { EditRun, Held } from '../edits.ts';
import type { Checks, SessionFacts } from '../ledger.ts';
import { isIn, type Room, type SentFile, withSent } from '../sent.ts';
import type { Committed } from './commits.ts';

/** Files by path. */
export type Files = ReadonlyMap<string, string>;

/** A commit of a session with files. */
export interface CommittedFiles extends Committed {
  /** What has come to the store of blobs, by key. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  readonly room: Room | undefined;
}

export const fileChecks: Checks<CommittedFiles> = {
  '31 a call has read what was there at its place': ({ facts, slots, before, room }) => {
    let files: Files = facts.files;
    for (const slot of slots) {
      const wrong = slot?.kind === 'tools' && misread(facts, files, slot, queuedIn(before));
      if (wrong) return `slot ${slot.n}: ${wrong}`;
      files = after(facts, files, slot, queuedIn(before), room);
    }
    return undefined;
  },

  '31 no call misses what is named': ({ slots }) => {
    const results = slots.flatMap((slot) => (slot?.kind === 'tools' ? slot.results : []));
    const missing = results.find(({ content }) => /\bis missing\b/.test(content));
    return missing && `${missing.callId}: ${missing.content}`;
  },

  '31 a message has what came with it': ({ facts, slots }) => {
    for (const { eventId, attachments = [] } of inputOf(slots)) {
      const sent = facts.events.get(eventId ?? '')?.files ?? [];
      const told = attachments.map(({ path, hash }) => `${path} ${hash}`).join();
      const came = sent.map(({ path, text }) => `${path} ${contentHash(utf8.encode(text))}`).join();
      if (told !== came) return `${eventId} came with ${came}, and has ${told}`;
    }
    return undefined;
  },

  '31 whoever reads a message is told which of its files are not there': ({ facts, slots, room }) => {
    for (const slot of slots) {
      if (slot?.kind !== 'model' || !slot.reply) continue;
      const { refused } = withSent(facts.files, sentIn(facts, slot), room);
      const told = slot.input.flatMap(({ text, internal }) => (internal?.reason === 'files' ? [text] : []));
      const names = told.flatMap((text) => [...text.matchAll(/^"([^"]+)": /gm)].map(([, name]) => name));
      if (names.join() !== refused.join())
        return `slot ${slot.n} has no room for ${refused.join()}, and says ${names.join()}`;
    }
    return undefined;
  },

  '31 there is no more than there is room for': (seen) => {
    let before = seen.facts.files;
    for (const { slot, files } of filesBySlot(seen.facts, seen)) {
      // What a `once` call has written stands, also when one before it, whose worker died, came to something else when it ran again.
      if (!isIn(seen.room, files) && isMore(files, before) && !hasRunAgain(seen.facts, slot))
        return `slot ${slot?.n} leaves ${asText(files)}`;
      before = files;
    }
    return undefined;
  },

  '31 the committed tree is what calls have made, in their order': (seen) => {
    const { facts } = seen;
    for (const { slot, files } of filesBySlot(facts, seen)) {
      const told = slot && treeAt(facts, slot.workspace, seen);
      if (slot && told !== asText(files))
        return `slot ${slot.n} names ${slot.workspace}: ${told}; it is ${asText(files)}`;
    }
    const files = asText(filesAfter(facts, seen));
    const told = treeAt(facts, seen.after.session.workspace, seen);
    return told === files ? undefined : `HEAD names ${told}; it is ${files}`;
  },

  '31 the model is told of files that were set back': ({ facts: { restored }, slots }) => {
    const said = slots.flatMap((slot) => (slot?.kind === 'model' ? slot.input.map(({ text }) => text) : []));
    const isSaid = said.some((text) => /^\[steploop\] .*files.* back to how they were/.test(text));
    return restored && isTold({ slots }) && !isSaid ? `it was told ${JSON.stringify(said)}` : undefined;
  },

  '31 what is named can be read': ({ facts, slots, before, blobs, room }) => {
    const files = filesAfter(facts, { slots, before, room });
    for (const [path, held] of files) {
      const body = found(facts, 'content', contentHash(utf8.encode(held)), before.session, blobs);
      if (!body || new TextDecoder().decode(body) !== held)
        return `${path} is committed, and its content is not there`;
    }
    return undefined;
  },
};

/** Whether a commit takes into history what the model has been told. */
export const isTold = ({ slots }: Pick<Committed, 'slots'>): boolean =>
  slots.some((slot) => slot?.kind === 'model' && !slot.fold && !slot.made);

/** The files after each slot of what was committed. */
export function filesBySlot(
  facts: SessionFacts,
  { slots, before, room }: Pick<CommittedFiles, 'slots' | 'before' | 'room'>,
): { readonly slot: Slot | undefined; readonly files: Files }[] {
  let files = facts.files;
  return slots.map((slot) => {
    files = after(facts, files, slot, queuedIn(before), room);
    return { slot, files };
  });
}

/** The files after what was committed. */
export const filesAfter = (
  facts: SessionFacts,
  seen: Pick<CommittedFiles, 'slots' | 'before' | 'room'>,
): Files => filesBySlot(facts, seen).at(-1)?.files ?? facts.files;

const isMore = (files: Files, before: Files): boolean =>
  files.size > before.size || sizeOf(files) > sizeOf(before);

const sizeOf = (files: Files): number => [...files.values()].join('').length;

const hasRunAgain = ({ edits }: SessionFacts, slot: Slot | undefined): boolean =>
  slot?.kind === 'tools' && slot.results.some(({ callId }) => (edits.get(callId)?.length ?? 0) > 1);

const inputOf = (slots: Committed['slots']): readonly InputTurn[] =>
  slots.flatMap((slot) => (slot?.kind === 'model' ? slot.input : []));

/** The files that came with the messages of a slot. */
const sentIn = ({ events }: SessionFacts, slot: Slot): readonly SentFile[] =>
  inputOf([slot]).flatMap(({ eventId }) => events.get(eventId ?? '')?.files ?? []);

/** Calls that the batch which is closed has waited for, in the queue. */
const queuedIn = ({ session }: Committed['before']): ReadonlySet<string> =>
  new Set(session.batch?.waits.flatMap(({ kind, callId }) => (kind === 'call' ? [callId] : [])));

/** Results in the order in which they count: what ran in a step, and then what ran from the queue, each in the order of the calls. */
function inOrder({ results }: ToolsSlot, queued: ReadonlySet<string>): ToolResult[] {
  const isQueued = ({ callId }: ToolResult) => queued.has(callId);
  return [...results.filter((one) => !isQueued(one)), ...results.filter(isQueued)];
}

/** The run that a result is of: only one that has ended well counts. */
function runOf(facts: SessionFacts, { callId, outcome, content }: ToolResult): EditRun | undefined {
  if (outcome !== 'ok') return undefined;
  const id = / \[(w\d+)\]/.exec(content)?.[1];
  return facts.edits.get(callId)?.find((run) => run.id === id);
}

function after(
  facts: SessionFacts,
  files: Files,
  slot: Slot | undefined,
  queued: ReadonlySet<string>,
  room: Room | undefined,
): Files {
  if (!slot) return files;
  if (slot.kind !== 'tools') return withSent(files, sentIn(facts, slot), room).files;
  const changed = new Map(files);
  for (const result of inOrder(slot, queued)) write(changed, runOf(facts, result));
  return changed;
}

function write(files: Map<string, string>, run: EditRun | undefined): void {
  for (const [path, held] of run?.wrote ?? []) {
    if (held === undefined) files.delete(path);
    else files.set(path, held);
  }
}

function misread(
  facts: SessionFacts,
  before: Files,
  slot: ToolsSlot,
  queued: ReadonlySet<string>,
): string | undefined {
  const files = new Map(before);
  const earlier: ToolResult[] = [];
  let here: Files = before;
  for (const result of inOrder(slot, queued)) {
    const run = runOf(facts, result);
    // Of calls in the queue none has seen another.
    const isQueued = queued.has(result.callId);
    const seen = isQueued ? here : files;
    const wrong = run && !mayDiffer(facts, earlier, run) && differs(run, seen);
    if (wrong) return `${result.callId}, ${run.id}: ${wrong}`;
    write(files, run);
    if (isQueued) continue;
    here = new Map(files);
    earlier.push(result);
  }
  return undefined;
}

/**
 * An earlier call has run again since, or its result is not of its run, because its worker had died: of a `once` call what it has read
 * stands, and that of the other does not. Or it ran beside this one; or its result came late, from an owner that had stood still, when this
 * one had been run by who knew nothing of it.
 */
const mayDiffer = (
  facts: SessionFacts,
  earlier: readonly ToolResult[],
  { startedAt, by }: EditRun,
): boolean =>
  earlier.some((result) => {
    const runs = facts.edits.get(result.callId) ?? [];
    const kept = runOf(facts, result);
    const cameLate = kept?.by !== by && (facts.results.get(result.callId) ?? 0) > startedAt;
    return kept
      ? kept.endedAt > startedAt || cameLate || runs.some((run) => run.startedAt > startedAt)
      : runs.length > 0;
  });

function differs({ read, listed }: EditRun, files: Files): string | undefined {
  for (const [path, held] of read)
    if (files.get(path) !== held)
      return `${path} was ${show(files.get(path))}, and it has read ${show(held)}`;
  const all = [...files.keys()].sort().join();
  return listed === undefined || listed === all
    ? undefined
    : `there were ${all}, and it was told of ${listed}`;
}

const show = (held: Held): string => held ?? 'not there';

/** The tree that is named, as text; of none, that of no files. */
function treeAt(
  facts: SessionFacts,
  named: string | undefined,
  { before, blobs }: Pick<CommittedFiles, 'before' | 'blobs'>,
): string {
  if (named === undefined) return '[]';
  const body = found(facts, 'trees', named, before.session, blobs);
  return body ? new TextDecoder().decode(body) : 'a tree that is not there';
}

/** As a tree is stored: sorted by path, with hash and size. */
const asText = (files: Files): string =>
  JSON.stringify(
    [...files.keys()].sort().map((path) => {
      const bytes = utf8.encode(files.get(path) ?? '');
      return [path, contentHash(bytes), bytes.length];
    }),
  );

/** A blob of the session, or of one that it shares with. */
const found = (
  { key: { tenant, sessionId } }: SessionFacts,
  kind: string,
  name: string,
  { origin = [] }: Pick<Session, 'origin'>,
  blobs: CommittedFiles['blobs'],
): Uint8Array | undefined =>
  [sessionId, ...origin.map((share) => share.sessionId)]
    .map((id) => blobs.get(blobKey(tenant, id, kind, name)))
    .find((body) => body !== undefined);

const utf8 = new TextEncoder();
