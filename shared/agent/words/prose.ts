/**
 * The meaning of a text without calls, recognised by its words. English, and deliberately narrow: a wrong "yes" costs the user a
 * step and the model its answer; a wrong "no" costs nothing that the user cannot ask for. Announcements are recognised in
 * `announce/`.
 */

const TROUBLE =
  /\b(?:errors?|fail(?:ed|s|ure)?|unable|could ?n[o’']t|could not|cannot|can[’']t|denied|not found|timed out|refused)\b/i;

/** Whether the text ends in a question: it waits for its user. */
export const asksQuestion = (text: string): boolean => /\?["')\]*_\s]*$/.test(text);

/** Whether the text mentions a problem. */
export const speaksOfTrouble = (text: string): boolean => TROUBLE.test(text);

const STATUS =
  /^(?:(?:the )?(?:task|work|request|job) (?:is |was |has been )?)?(?:status\s*[:=–—-]?\s*)?(?:all )?(?:done|completed?|ok(?:ay)?|finished|success(?:ful)?(?:ly)?|erledigt|fertig|abgeschlossen|terminé|fait|fini|listo|hecho|terminado|completado)$|^working tree:?\s*(?:is )?(?:clean|dirty)$/u;
/** Characters around a word that mean nothing: bullets, numbers, boxes, brackets, quotes, points, pictures. */
const AROUND = '[\\s.…!,;:*_`#>()\\[\\]{}"\'“”„«»‘’•–—+-]|\\p{Extended_Pictographic}|\\uFE0F|✓|✔';
const BEFORE = new RegExp(`^(?:\\[x\\]|\\d+[.)]|${AROUND})+`, 'iu');
const AFTER = new RegExp(`(?:${AROUND})+$`, 'u');

/** Whether a whole answer is only a status, such as "Done." or "- (done)". */
export function isStatusOnly(text: string): boolean {
  if (text.length > MAX_STATUS) return false;
  return STATUS.test(
    text
      .toLowerCase()
      .replace(/[*_`#]/g, '')
      .replace(BEFORE, '')
      .replace(AFTER, ''),
  );
}

/** Characters. A longer text says something. */
const MAX_STATUS = 200;

const DECLINES =
  /\b(?:won[’']t|will not|(?:have|has|did|do|is|was|were|would)(?: not|n[’']t)|not going to|rather not)\b/i;

/** Whether the text says that something was not done, or will not be. */
export const declines = (text: string): boolean => DECLINES.test(text) || speaksOfTrouble(text);
