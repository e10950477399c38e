/**
 * Text from outside as a reader sees it: invisible characters are removed (controls, zero width, tags, which hide
 * instructions from people and not from models), line ends and tabs stay. It is cut to `most` characters, with a mark.
 */
export function plainText(text: string, most: number): string {
  const plain = text.toWellFormed().replaceAll(UNSEEN, '').trim();
  return plain.length <= most
    ? plain
    : `${plain.slice(0, most).toWellFormed()} … (cut: ${most} of ${plain.length} characters)`;
}

/** Controls except tab and end of line, formats, private and unassigned characters, and those that Unicode draws as nothing. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;
