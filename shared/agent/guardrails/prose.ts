/**
 * What a text without calls is about, told by its words. English, and deliberately narrow: a wrong "yes" costs the
 * user a step and the model its answer; a wrong "no" costs nothing that the user cannot ask for.
 */

const FUTURE =
  /\b(?:let me|let[’']s|i[’']ll|i will|i[’']m going to|i am going to|i[’']m about to|i am about to|i need to|next,? i|now i|first,? i)\b/i;
const HELP =
  /\b(?:let me know|i[’']ll be (?:happy|glad|here|around)|i will be (?:happy|glad|here)|happy to|glad to|feel free|i can help|if you(?:[’']d)? (?:like|want|need|prefer)|when you(?:[’']re| are) ready|i[’']ll (?:wait|remember|keep that))\b/i;
const DONE =
  /\b(?:done|completed|finished|fixed|implemented|updated|created|added|resolved|in summary|to summari[sz]e|successfully|here (?:is|are)|here[’']s|all tests pass)\b/i;
const TROUBLE =
  /\b(?:errors?|fail(?:ed|s|ure)?|unable|could ?n[o’']t|could not|cannot|can[’']t|denied|not found|timed out|refused)\b/i;

/** Whether the text announces an action that it does not take (H3, T29). Words of completion win. */
export function announcesAction(text: string): boolean {
  if (asksQuestion(text) || DONE.test(text)) return false;
  const last =
    text
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? '';
  const sentences = last.split(/(?<=[.!:…])\s+|\n/).filter((sentence) => sentence.trim() !== '');
  return sentences.some((sentence) => FUTURE.test(sentence)) && !HELP.test(last);
}

/** Whether the text ends in a question: it waits for its user. */
export const asksQuestion = (text: string): boolean => /\?["')\]*_\s]*$/.test(text);

/** Whether the text speaks of something that went wrong. */
export const speaksOfTrouble = (text: string): boolean => TROUBLE.test(text);

const STATUS =
  /^(?:(?:the )?(?:task|work|request|job) (?:is |was |has been )?)?(?:status:?\s*)?(?:all )?(?:done|completed?|ok(?:ay)?|finished|success(?:ful)?(?:ly)?)$|^working tree:?\s*(?:is )?(?:clean|dirty)$/;

/** Whether a whole answer is only a status, such as "Done." (H5). */
export function isStatusOnly(text: string): boolean {
  const bare = text
    .toLowerCase()
    .replace(/[*_`#]/g, '')
    .replace(/[\s.!✅✔✓]+$/u, '')
    .trim();
  return STATUS.test(bare);
}

/** Whether the user asks to be told something, rather than to have something changed (H4). */
export const isInformational = (task: string): boolean =>
  asksQuestion(task) ||
  /^\s*(?:what|why|how|when|where|who|which|explain|describe|show|list|tell me|summari[sz]e|can you (?:explain|tell)|is|are|does|do)\b/i.test(
    task,
  );

const ASKS_TO_WRITE =
  /\b(?:write|create|save|produce|generate|draft|put|record|document|export|update)\b[^\n]*?([\w./-]+\.md)\b/gi;

/** The `*.md` files that the user asks to have written (T29). */
export const requestedArtifacts = (task: string): string[] =>
  [...task.matchAll(ASKS_TO_WRITE)].flatMap(([, path]) => path ?? []);
