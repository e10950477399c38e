/**
 * The part of a reply that its speaker says in its own name, and says last. Code, quotes, tables, lists and letters drafted for
 * others do not belong to it: an "I will" in them is another person's.
 */

/** Characters at the end of a reply that are examined. */
const LOOKED_AT = 4_000;

/** Stands for text that was removed. */
const OTHERS = '§';

/** The reply without the words of others in it. */
export const ownWords = (reply: string): string =>
  reply
    // A fence that is never closed goes to the end.
    .replace(/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1[^\n]*$|(?![\s\S]))/gm, OTHERS)
    .slice(-LOOKED_AT)
    .replace(/[^\S\n]+/g, ' ')
    .replaceAll('’', "'")
    .replace(/`[^`\n]*`/g, OTHERS)
    .replace(/^[ \t]*[>|].*$/gm, OTHERS)
    .replace(/"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»/g, OTHERS)
    .replace(/(?<=^|[\s(])'[^\n]*?'(?=[\s.,;:!?)]|$)/gm, OTHERS)
    .replace(/^([ \t]*)\*(?= )/gm, '$1-')
    .replace(/\*+|(?<!\w)_+|_+(?!\w)/g, '');

/** The sentences of the last paragraph, in order; none if a reply ends in words that are not its speaker's. */
export function lastSentences(own: string): readonly string[] {
  const paragraphs = own
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');
  const last = paragraphs.at(-1);
  if (last === undefined || isLetter(paragraphs) || isIntroduced(paragraphs)) return [];
  const lines = last.split('\n').map((line) => line.trim());
  const end = lines.at(-1) ?? '';
  // Text introduced by a line of the same paragraph is not the speaker's either.
  if (isOthers(end) || lines.slice(0, -1).some((line) => line.endsWith(':'))) return [];
  return lines.flatMap((line) => line.split(/(?<=[.!?…])\s+/));
}

/**
 * The sentences before a list with which a reply ends: they decide whether the list is a plan. After a colon the list may be what
 * was done, so then its items must begin as steps do.
 */
export function sentencesBeforeList(own: string): readonly string[] {
  const lines = own
    .trimEnd()
    .split('\n')
    .map((line) => line.trim());
  const end = lines.findLastIndex((line) => line !== '' && !ITEM.test(line));
  const items = lines.slice(end + 1).filter((line) => line !== '');
  if (end < 0 || items.length < 2) return [];
  const before = lines.slice(0, end + 1).join('\n');
  if (before.endsWith(':') && !items.every((item) => STEP.test(item))) return [];
  return lastSentences(before);
}

/** Items that begin as steps do. */
const STEP =
  /^\S+\s+(?:\[ \] )?(?:then )?(?:read|open|look|check|inspect|examine|search|find|grep|list all|run|rerun|test|verify|reproduce|write|create|add|change|edit|update|fix|remove|delete|rename|replace|move|refactor|implement|install|build|deploy|restart|export|import|fetch|query|call|commit|push|migrate|generate)\b/i;

const ITEM = /^(?:[-•–+]|\d{1,3}[.)]|\(?[a-z][.)])\s/i;

/** A line that is a list item, a heading, or only removed text. */
const isOthers = (line: string): boolean =>
  ITEM.test(line) || /^#{1,6}\s/.test(line) || /^[§\s.,:;!]*$/.test(line);

const GREETING =
  /^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|liebe[rs]?|sehr geehrte[rs]?|guten (?:tag|morgen|abend)|moin|bonjour|bonsoir|chère?s?|madame|monsieur|hola|estimad[oa]s?|querid[oa]s?|buen[oa]s)\b[^.!?\n]{0,60}[,:]$/i;

/** Whether a letter begins somewhere after the reply's first words: the rest of the reply is its text. */
const isLetter = (paragraphs: readonly string[]): boolean =>
  paragraphs.slice(1).some((paragraph) => paragraph.split('\n').some((line) => GREETING.test(line.trim())));

/** Words for text that is written for another person to say. */
const TEXTS =
  /\b(?:draft|version|reply|replies|answer|e-?mail|mail|message|letter|text|note|post|tweet|caption|speech|paragraph|poem|story|scene|dialog(?:ue)?|script|translat\w+|wording|template|statement|bio|cover|intro\w*|closing|invitation|announcement|say|write|entwurf|fassung|antwort|nachricht|brief|vorschlag|übersetzung|brouillon|réponse|lettre|courriel|texte|proposition|traduction|borrador|respuesta|carta|correo|texto|mensaje|propuesta|traducción)\b/i;

/** Whether another paragraph introduces the last one: "Here is a draft:", "You could write:". */
function isIntroduced(paragraphs: readonly string[]): boolean {
  return paragraphs.slice(0, -1).some((paragraph, i) => {
    if (!paragraph.endsWith(':')) return false;
    const next = paragraphs[i + 1] ?? '';
    const isText = next.split('\n').every((line) => !isOthers(line.trim()));
    return isText && (i === paragraphs.length - 2 || TEXTS.test(paragraph));
  });
}
