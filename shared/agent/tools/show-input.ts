/**
 * The text that a person reads before they approve a call: every value of its input on its own line, after its path. Each value
 * has its own room, so a long one hides none of the next. A cut value says so, and how long it is, before it begins. Values are
 * quoted and odd characters escaped (`visible.ts`), so no value can look like another line.
 */

import { byteLength } from '../plain/utf8.ts';
import { type At, type Leaf, type Node, treeOf } from './input-tree.ts';
import { quoted, quotedName, type Shown, visible } from './visible.ts';

/** Lines, and whether they show everything. */
export interface ShownInput {
  readonly lines: readonly string[];
  readonly whole: boolean;
}

/** Bytes of one value that are shown, if there is room for them. */
const MAX_VALUE = 600;
/** Bytes besides its path that every line has: the note that a value is cut, and a piece of it. */
const MIN_LINE = 56;
/** Bytes of the note about a cut, and of the marks around the value. */
const CUT_BYTES = 53;
/** Bytes of a path, and of one key in it. */
const MAX_PATH = 240;
const MAX_KEY = 100;
/** A key that stands in a path as it is. Others are quoted, in ASCII: letters of other scripts look like these. */
const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * Shows an input in about `room` bytes of UTF-8.
 *
 * @param most bytes of one value that are shown
 */
export const showInput = (input: unknown, room: number, most = MAX_VALUE): ShownInput =>
  show(sized(treeOf(input), '', most), room);

/** A node, with the bytes that it takes if every value gets its full share, and the bytes that it needs at least. */
type Sized = { readonly path: string; readonly wants: number; readonly needs: number } & (
  | { readonly leaf: Leaf; readonly most: number }
  | { readonly children: readonly Sized[] }
);

function sized(node: Node, above: string, most: number): Sized {
  const path = pathOf(node.at, above);
  const least = byteLength(path) + MIN_LINE;
  if (node.kind === 'leaf') {
    const { text, whole } = shownOf(node, most);
    const wants = byteLength(path) + byteLength(text) + (whole ? 3 : CUT_BYTES);
    return { leaf: node, path, most, wants, needs: Math.min(wants, least) };
  }
  const children = node.children.map((child) => sized(child, path, most));
  const wants = children.reduce((sum, child) => sum + child.wants, 0);
  return { children, path, wants, needs: Math.min(wants, 2 * least) };
}

function show(node: Sized, room: number): ShownInput {
  const { path } = node;
  const label = path === '' ? 'the input' : path;
  const isWholePath = path.length <= MAX_PATH;
  if ('leaf' in node) {
    const { text, whole } = showLeaf(node.leaf, label, room, node.most);
    return { lines: [text], whole: whole && isWholePath };
  }
  const { children } = node;
  const thoseIn = (within: number) => thatFit(children, within);
  const kept =
    thoseIn(room).length === children.length ? children : thoseIn(room - byteLength(path) - MIN_LINE);
  const left = children.length - kept.length;
  const extra = fairShare(
    kept.map(({ wants, needs }) => wants - needs),
    room - sum(kept.map(({ needs }) => needs)),
  );
  const shown = kept.map((child) => show(child, child.needs + Math.min(extra, child.wants - child.needs)));
  const missing = `${label}: ${count(left)} of ${count(children.length)} entries are not shown`;
  return {
    lines: [...(left > 0 ? [missing] : []), ...shown.flatMap(({ lines }) => lines)],
    whole: left === 0 && isWholePath && shown.every(({ whole }) => whole),
  };
}

/** All of the children if there is room for their minimum, else the first of them. */
function thatFit(children: readonly Sized[], room: number): readonly Sized[] {
  let left = room;
  const tooMany = children.findIndex(({ needs }, i) => {
    left -= needs;
    return left < 0 && i > 0;
  });
  return tooMany < 0 ? children : children.slice(0, tooMany);
}

/** How much each gets beyond its minimum, if none gets more than it wants. */
function fairShare(wanted: readonly number[], room: number): number {
  let left = Math.max(0, room);
  for (const [i, want] of [...wanted].sort((a, b) => a - b).entries()) {
    const share = left / (wanted.length - i);
    if (want > share) return Math.floor(share);
    left -= want;
  }
  return Number.POSITIVE_INFINITY;
}

function showLeaf(leaf: Leaf, label: string, room: number, most: number): { text: string; whole: boolean } {
  const left = room - byteLength(label) - 2;
  const whole = shownOf(leaf, Math.min(most, left - ('text' in leaf.value ? 2 : 0)));
  if (whole.whole) return { text: `${label}: ${whole.text}`, whole: !leaf.hidden };
  const { characters, text } = shownOf(leaf, Math.max(8, Math.min(most, left - CUT_BYTES)));
  // Stated before the value: text written from right to left could move what comes after it.
  const length = 'text' in leaf.value ? leaf.value.text.length : leaf.value.plain.length;
  const cut = `(cut: ${count(characters)} of ${count(length)} characters)`;
  return { text: `${label} ${cut}: ${text} …`, whole: false };
}

const shownOf = ({ value }: Leaf, room: number): Shown =>
  'text' in value ? quoted(value.text, room) : visible(value.plain, { room });

function pathOf(at: At, above: string): string {
  if (at === undefined) return above;
  const path = `${above}${segmentOf(at, above === '')}`;
  return path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH)}…`;
}

function segmentOf(at: string | number, isFirst: boolean): string {
  if (typeof at === 'number') return `[${at}]`;
  if (PLAIN_KEY.test(at)) return isFirst ? at : `.${at}`;
  const shown = quotedName(at, MAX_KEY);
  return shown.whole ? `[${shown.text}]` : `[${shown.text}… of ${count(at.length)} characters]`;
}

const count = (n: number): string => n.toLocaleString('en-US');
const sum = (numbers: readonly number[]): number => numbers.reduce((all, n) => all + n, 0);
