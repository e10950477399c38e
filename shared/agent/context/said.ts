import { memoize } from '../plain/memoize.ts';
import { wellFormed } from '../plain/well-formed.ts';
import type { Block, InputTurn } from '../session/slots.ts';
import { texts } from '../texts.ts';
import type { Part } from './joined.ts';
import { attachedBlocks, refusedBlocks } from './media.ts';
import { isOmitted, type Omission } from './omissions.ts';
import { type Teller, withoutLookAlikes } from './told.ts';

/** Input as the model reads it, each message after the line about it. Blank text is not a message: servers refuse it. */
export function textsOf(input: readonly InputTurn[], tell: Teller): Part {
  const lines = input.map((turn) => (isBlank(turn) ? undefined : tell(turn)));
  if (lines.every((line) => line === undefined)) return withoutLines(input);
  const key = JSON.stringify(lines);
  const known = told.get(input);
  if (known?.key === key) return known.part;
  const part = input.flatMap((turn, at) => toldOf(lines[at], blocksOf(turn, attachedBlocks)));
  told.set(input, { key, part });
  return part;
}

/** By input. Its lines depend on what was said before it, which does not change. */
const told = new WeakMap<readonly InputTurn[], { readonly key: string; readonly part: Part }>();

const withoutLines = memoize(
  (input: readonly InputTurn[]): Part => input.flatMap((turn) => blocksOf(turn, attachedBlocks)),
);

const toldOf = (line: string | undefined, blocks: readonly Block[]): readonly Block[] =>
  line === undefined ? blocks : [{ type: 'text', text: line }, ...blocks];

const isBlank = ({ text, attachments = [] }: InputTurn): boolean =>
  text.trim() === '' && attachments.length === 0;

/** Attachments stand before the text that came with them. */
function blocksOf(
  { text: sent, attachments, said: by }: InputTurn,
  shown: typeof attachedBlocks,
): readonly Block[] {
  const text = by ? withoutLookAlikes(sent) : sent;
  const said = text.trim() === '' ? [] : [{ type: 'text', text }];
  return wellFormed(attachments?.length ? [...shown(attachments), ...said] : said);
}

/** The same for an input with a part left out. */
export function leftOf(input: readonly InputTurn[], omission: Omission, tell: Teller): Part {
  if (omission.input === 'all') return input.length > 0 ? [noticeOf(omission)] : [];
  const shown = omission.media ? refusedBlocks : attachedBlocks;
  return input.flatMap((turn, at) =>
    isOmitted(omission.input, at)
      ? [noticeOf(omission)]
      : toldOf(isBlank(turn) ? undefined : tell(turn), blocksOf(turn, shown)),
  );
}

/** Stands in place of what people have said. */
export const noticeOf = ({ why }: Omission): Block => ({ type: 'text', text: texts.omitted.input[why] });

/**
 * Texts that the model was told, where results are cleared. Our advice was for its moment, and is removed first. It stays if
 * nothing else is in its message, since two replies would be adjacent there.
 */
export function pastTextsOf(input: readonly InputTurn[], before: readonly Part[], tell: Teller): Part {
  const said = textsOf(saidOf(input), tell);
  return said.length > 0 || before.length > 0 ? said : withoutLines(input);
}

const saidOf = memoize((input: readonly InputTurn[]): readonly InputTurn[] =>
  input.filter(({ internal }) => !internal),
);
