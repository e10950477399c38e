import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import type { Language } from './language.ts';
import { lastSentences, ownWords, sentencesBeforeList } from './own-words.ts';
import { spanish } from './spanish.ts';

const languages: readonly Language[] = [english, german, french, spanish];

/**
 * Whether a reply ends by announcing an action that it does not take: the speaker's own, next, active deed, said last, or before
 * a list that ends the reply (a plan). Recognised by words, in four languages, and deliberately narrow: a wrong "yes" costs the
 * user a step and the model its answer; a wrong "no" costs nothing that the user cannot ask for.
 */
export function announcesAction(reply: string): boolean {
  const own = ownWords(reply);
  if (QUESTION.test(own)) return false;
  const last = lastSentences(own);
  const said = last.length > 0 ? withoutPauses(last) : sentencesBeforeList(own);
  return languages.some((language) => !language.asks.test(own) && announcesIn(language, said));
}

/** Whether a reply asks the user a question, or for something: it waits for its user. */
export function asksUser(reply: string): boolean {
  const own = ownWords(reply);
  return QUESTION.test(own) || languages.some(({ asks }) => asks.test(own));
}

const QUESTION = /[?¿]/;

/** Without phrases that often follow an announcement: "One moment.", "That will show the cause." */
function withoutPauses(sentences: readonly string[]): readonly string[] {
  const end = sentences.findLastIndex((sentence) => !languages.some(({ pause }) => pause.test(sentence)));
  return sentences.slice(0, end + 1);
}

function announcesIn(language: Language, said: readonly string[]): boolean {
  const sentence = said.at(-1);
  if (sentence === undefined || sentence.length > MAX_SENTENCE) return false;
  const deed = language.deedIn(sentence);
  if (!deed) return false;
  // "It expires in 12 days, so I'll renew it now.": the time belongs to another clause.
  const clause = sentence.slice(deed.before.length);
  const own = FOLLOWS.test(clause) ? clause : sentence;
  if (language.waits.test(own.replace(language.harmless, ' '))) return false;
  if (language.notAfter.test(deed.before) || isDoneBySaying(deed.after)) return false;
  // "Restart it. Then I'll check again." waits for the user; after a deed of the speaker's own it is the speaker's next one.
  return !language.goesOn.test(sentence) || announcesIn(language, said.slice(0, -1));
}

/** A clause that follows from the text before it. */
const FOLLOWS = /^(?:;|(?:, )?(?:so|donc|daher|deshalb|also|así que)\b)/i;

/** Characters. A longer sentence explains something. */
const MAX_SENTENCE = 400;

/** A colon with something after it: "Let me check: yes, it is open." */
const isDoneBySaying = (rest: string): boolean => /:(?:\s+\S|§)/.test(rest);
