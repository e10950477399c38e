import { once } from '../plain/once.ts';
import { wellFormed } from '../plain/well-formed.ts';
import type { Block, InputTurn } from '../session/slots.ts';
import { texts } from '../texts.ts';
import type { Part } from './joined.ts';
import { attachedBlocks, refusedBlocks } from './media.ts';
import { isOmitted, type Omission } from './omissions.ts';

/** Input as the model reads it. Blank text is no message: servers refuse it. */
export const textsOf = once(
  (input: readonly InputTurn[]): Part => input.flatMap((turn) => blocksOf(turn, attachedBlocks)),
);

/** Attachments stand before the text that came with them. */
function blocksOf({ text, attachments }: InputTurn, shown: typeof attachedBlocks): readonly Block[] {
  const said = text.trim() === '' ? [] : [{ type: 'text', text }];
  return wellFormed(attachments?.length ? [...shown(attachments), ...said] : said);
}

/** The same of an input of which something is left out. */
export function leftOf(input: readonly InputTurn[], omission: Omission): Part {
  if (omission.input === 'all') return input.length > 0 ? [noticeOf(omission)] : [];
  const shown = omission.media ? refusedBlocks : attachedBlocks;
  return input.flatMap((turn, at) =>
    isOmitted(omission.input, at) ? [noticeOf(omission)] : blocksOf(turn, shown),
  );
}

const noticeOf = ({ why }: Omission): Block => ({ type: 'text', text: texts.omitted.input[why] });

/**
 * What was told where results are cleared: advice of ours was for its moment, and goes first (A20). Where nothing else stands in
 * its message it stays, since two replies would meet there.
 */
export function pastTextsOf(input: readonly InputTurn[], before: readonly Part[]): Part {
  const said = saidOf(input);
  return said.length > 0 || before.length > 0 ? said : textsOf(input);
}

const saidOf = once(
  (input: readonly InputTurn[]): Part =>
    input.filter(({ internal }) => !internal).flatMap((turn) => blocksOf(turn, attachedBlocks)),
);
