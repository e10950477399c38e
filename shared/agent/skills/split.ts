/** A `SKILL.md`, split at the end of its front matter. */
export interface Split {
  /** The YAML between the two lines `---`. */
  readonly yaml: string;
  /** The text after it. */
  readonly body: string;
  /** Line on which the body begins, from 1. */
  readonly bodyLine: number;
}

/** Text as models and parsers read it: without a byte order mark, and with `\n` at the ends of lines. */
export const plainText = (text: string): string => text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n');

/** Splits a `SKILL.md`; why it cannot be split otherwise. */
export function splitSkill(markdown: string): Split | string {
  const text = plainText(markdown);
  const [opened] = /^---[ \t]*\n/.exec(text) ?? [];
  if (!opened)
    return 'begin the file with front matter: a line ---, then name and description, and a line ---';
  const closed = /^(?:---|\.\.\.)[ \t]*(?:\n|$)/m.exec(text.slice(opened.length));
  if (!closed) return 'the front matter has no end: put a line --- after its last key';
  const head = opened.length + closed.index + closed[0].length;
  return {
    yaml: text.slice(opened.length, opened.length + closed.index),
    body: text.slice(head),
    bodyLine: text.slice(0, head).split('\n').length,
  };
}

/** The instructions of a `SKILL.md`: all of it if it has no front matter. */
export function bodyOf(markdown: string): string {
  const split = splitSkill(markdown);
  return (typeof split === 'string' ? plainText(markdown) : split.body).trim();
}
