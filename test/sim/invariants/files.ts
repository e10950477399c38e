/**
 * Invariant 31: a session's files are what its calls made of them. They are compared with what the tools themselves
 * have read and written, and with what reached the store. A result is only used to find its run.
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
  /** The contents of the store of blobs, by key. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  readonly room: Room | undefined;
}

export const fileChecks: Checks<CommittedFiles> = {
  '31 a call reads the files as they are at its turn': ({ facts, slots, before, room }) => {
    let files: Files = facts.files;
    for (const slot of slots) {
      const wrong = slot?.kind === 'tools' && misread(facts, files, slot, queuedIn(before));
      if (wrong) return `slot ${slot.n}: ${wrong}`;
      files = after(facts, files, slot, queuedIn(before), room);
    }
    return undefined;
  },

  '31 no call misses a file that is named': ({ slots }) => {
    const results = slots.flatMap((slot) => (slot?.kind === 'tools' ? slot.results : []));
    const missing = results.find(({ content }) => /\bis missing\b/.test(content));
    return missing && `${missing.callId}: ${missing.content}`;
  },

  '31 a message has the files that came with it': ({ facts, slots }) => {
    for (const { eventId, attachments = [] } of inputOf(slots)) {
      const sent = facts.events.get(eventId ?? '')?.files ?? [];
      const told = attachments.map(({ path, hash }) => `${path} ${hash}`).join();
      const came = sent.map(({ path, text }) => `${path} ${contentHash(utf8.encode(text))}`).join();
      if (told !== came) return `${eventId} came with ${came}, and has ${told}`;
    }
    return undefined;
  },

  '31 readers of a message are told which of its files are missing': ({ facts, slots, room }) => {
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

  '31 a workspace stays within its limits': (seen) => {
    let before = seen.facts.files;
    for (const { slot, files } of filesBySlot(seen.facts, seen)) {
      // The writes of a `once` call stand, even if a call before it, whose worker died, had another outcome when it ran
      // again.
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

  '31 the model is told of restored files': ({ facts: { restored }, slots }) => {
    const said = slots.flatMap((slot) => (slot?.kind === 'model' ? slot.input.map(({ text }) => text) : []));
    const isSaid = said.some((text) => /^\[steploop\] .*files.* back to how they were/.test(text));
    return restored && isTold({ slots }) && !isSaid ? `it was told ${JSON.stringify(said)}` : undefined;
  },

  '31 every named file can be read': ({ facts, slots, before, blobs, room }) => {
    const files = filesAfter(facts, { slots, before, room });
    for (const [path, held] of files) {
      const body = found(facts, 'content', contentHash(utf8.encode(held)), before.session, blobs);
      if (!body || new TextDecoder().decode(body) !== held)
        return `${path} is committed, and its content is not there`;
    }
    return undefined;
  },
};

/** Whether a commit takes what the model was told into history. */
export const isTold = ({ slots }: Pick<Committed, 'slots'>): boolean =>
  slots.some((slot) => slot?.kind === 'model' && !slot.fold && !slot.made);

/** The files after each committed slot. */
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

/** The files after a commit. */
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

/** The queued calls that the closed batch has waited for. */
const queuedIn = ({ session }: Committed['before']): ReadonlySet<string> =>
  new Set(session.batch?.waits.flatMap(({ kind, callId }) => (kind === 'call' ? [callId] : [])));

/**
 * Results in the order in which they count: those from the step, then those from the queue, each in the order of the
 * calls.
 */
function inOrder({ results }: ToolsSlot, queued: ReadonlySet<string>): ToolResult[] {
  const isQueued = ({ callId }: ToolResult) => queued.has(callId);
  return [...results.filter((one) => !isQueued(one)), ...results.filter(isQueued)];
}

/** The run that a result belongs to. Only a run that ended well counts. */
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
    // Queued calls do not see each other's changes.
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
 * An earlier call has run again since, or its result does not belong to its run, because its worker had died: the reads
 * of a `once` call stand, and those of the other do not. Or it ran at the same time as this one. Or its result came
 * late from a frozen owner, when the owner that has run this one had claimed the session.
 */
const mayDiffer = (
  facts: SessionFacts,
  earlier: readonly ToolResult[],
  { startedAt, claimedAt, by }: EditRun,
): boolean =>
  earlier.some((result) => {
    const runs = facts.edits.get(result.callId) ?? [];
    const kept = runOf(facts, result);
    const cameLate = kept?.by !== by && (facts.results.get(result.callId) ?? 0) > claimedAt;
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

/** The named tree, as text; if there is none, that of no files. */
function treeAt(
  facts: SessionFacts,
  named: string | undefined,
  { before, blobs }: Pick<CommittedFiles, 'before' | 'blobs'>,
): string {
  if (named === undefined) return '[]';
  const body = found(facts, 'trees', named, before.session, blobs);
  return body ? new TextDecoder().decode(body) : 'a tree that is not there';
}

/** The stored form of a tree: sorted by path, with hash and size. */
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
