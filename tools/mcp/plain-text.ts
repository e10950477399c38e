/**
 * Text of somebody else's as a reader sees it: what has no shape of its own is gone (controls, zero width, tags, which hide
 * instructions from people and not from models), ends of lines and tabs stay. Cut to so many characters, which is said.
 */
export function plainText(text: string, most: number): string {
  const plain = text.toWellFormed().replaceAll(UNSEEN, '').trim();
  return plain.length <= most
    ? plain
    : `${plain.slice(0, most).toWellFormed()} … (cut: ${most} of ${plain.length} characters)`;
}

/** Controls but tab and end of line, formats, private and unassigned characters, and what Unicode draws as nothing. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;
