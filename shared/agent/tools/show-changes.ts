/**
 * A plan as people read it before they decide: a description of each change, and one diff of all files. Loaded by the first plan
 * of a process.
 */

import { createTwoFilesPatch } from 'diff';
import type { SessionKey } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import { byteLength } from '../plain/utf8.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Change, FileChange, ToolCall } from '../session/slots.ts';
import { contentKey } from '../workspace/content.ts';
import { describeCall } from './asking.ts';
import { readInput } from './reading.ts';
import type { Tool } from './tool.ts';
import { visible } from './visible.ts';

/** Bytes of a file above which its lines are not compared. */
const MAX_COMPARED = 300_000;
/** Lines that differ. With more of them a comparison takes long and is worth little. */
const MAX_EDITS = 2_000;
/** Paths of one change that are named beside it. */
const MAX_PATHS = 5;

/** Changes, with everything needed to show them. */
export interface ChangesToShow {
  readonly key: SessionKey;
  readonly calls: readonly ToolCall[];
  readonly changes: readonly Change[];
  readonly tools: readonly Tool[];
  readonly blobs: Pick<Blobs, 'getBytes'>;
}

/**
 * The plan in about `room` bytes of UTF-8, and whether that is all of it. The calls come first, with what they will be run with;
 * the diff gets the rest of the room.
 *
 * @param most bytes of one value of a call that are shown
 */
export async function showChanges(
  of: ChangesToShow,
  room: number,
  most?: number,
): Promise<{ readonly message: string; readonly cut: boolean }> {
  const { calls, changes, tools } = of;
  const one = Math.floor((room * 0.6) / Math.max(1, calls.length));
  const listed = calls.map((call, i) => {
    const files = changes[i]?.files;
    const shown = files ? filesLine(call, files) : callLines(call, tools, one, most);
    return { ...shown, message: `${i + 1}. ${shown.message}` };
  });
  const head = [
    `Plan: ${calls.length} ${calls.length === 1 ? 'change' : 'changes'}`,
    ...listed.map(({ message }) => message),
  ];
  const left = room - byteLength(head.join('\n'));
  const diff = await diffOf(allFiles(changes), of, left);
  return {
    message: [...head, ...diff.lines].join('\n'),
    cut: diff.cut || listed.some(({ cut }) => cut),
  };
}

function callLines(call: ToolCall, tools: readonly Tool[], room: number, most: number | undefined) {
  const tool = tools.find(({ name }) => name === call.name);
  const reading = tool && readInput(call, tool);
  return !reading || reading.kind === 'wrong'
    ? { message: `${call.name} (it cannot be run as it is)`, cut: false }
    : describeCall(call.name, reading, room, most);
}

function filesLine({ name }: ToolCall, files: readonly FileChange[]) {
  const paths = files.slice(0, MAX_PATHS).map(({ path, hash }) => {
    const shown = visible(path, { room: 600 }).text;
    return hash === undefined ? `${shown} (removed)` : shown;
  });
  const more = files.length > MAX_PATHS ? [`and ${files.length - MAX_PATHS} more files`] : [];
  return { message: `${name}: ${[...paths, ...more].join(', ')}`, cut: false };
}

/** The final change of each file, in the order of their paths. */
function allFiles(changes: readonly Change[]): readonly FileChange[] {
  const ends = new Map<string, FileChange>();
  for (const { path, hash, bytes, from } of changes.flatMap(({ files = [] }) => files)) {
    const first = ends.get(path);
    const before = first ? first.from : from;
    ends.set(path, {
      path,
      ...defined({ hash, bytes, from: before }),
    });
  }
  return [...ends.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The diff of files, as far as there is room for it. */
async function diffOf(files: readonly FileChange[], of: ChangesToShow, room: number) {
  const lines: string[] = [];
  let left = room;
  for (const file of files) {
    const whole = await patchOf(file, of);
    const { text, whole: fits } = visible(whole, { room: left - 1, code: true });
    if (text !== '') lines.push(text);
    if (!fits) return { lines, cut: true };
    left -= byteLength(text) + 1;
  }
  return { lines, cut: false };
}

async function patchOf({ path, hash, from, bytes }: FileChange, of: ChangesToShow): Promise<string> {
  const [before, after] = await Promise.all([textOf(from, of), textOf(hash, of)]);
  const [old, now] = [
    from === undefined ? '/dev/null' : `a/${path}`,
    hash === undefined ? '/dev/null' : `b/${path}`,
  ];
  const patch =
    before === undefined || after === undefined
      ? undefined
      : createTwoFilesPatch(old, now, before, after, undefined, undefined, {
          context: 3,
          maxEditLength: MAX_EDITS,
        });
  return (
    patch?.replace(/^(Index: .*\n)?=+\n/, '').trimEnd() ??
    `--- ${old}\n+++ ${now}\n(not shown line by line${bytes === undefined ? '' : `: ${bytes} bytes`})`
  );
}

/** A content as text; undefined if it is not text, too large, or gone. */
async function textOf(hash: string | undefined, { key, blobs }: ChangesToShow): Promise<string | undefined> {
  if (hash === undefined) return '';
  try {
    const bytes = await blobs.getBytes(contentKey(key, hash), MAX_COMPARED);
    return bytes && !bytes.includes(0) ? utf8.decode(bytes) : undefined;
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
