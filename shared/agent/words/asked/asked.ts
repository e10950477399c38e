import { asksQuestion } from '../prose.ts';
import { setOf } from '../shell/starters.ts';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import type { AskingLanguage } from './language.ts';
import { spanish } from './spanish.ts';

const languages: readonly AskingLanguage[] = [english, german, french, spanish];

/**
 * Whether a message only asks for information, and for no change: recognised by its words, in the languages of `announce/`. A
 * request to change something is one in any mood: "Fix it", "Can you fix it?", "It is broken, fix it", "Why does it fail? Please
 * fix it." A question about a change is not: "How do I fix it?", "Should we rename it?".
 */
export function isInformational(task: string): boolean {
  const sentences = sentencesOf(task);
  if (isCourtesy(sentences)) return true;
  const asks = asksQuestion(task) || languages.some(({ tells }) => tells.test(sentences[0] ?? ''));
  return (
    asks && !sentences.some((sentence) => languages.some((language) => asksForChange(language, sentence)))
  );
}

const GREETS = setOf(
  'hi hello hey hallo moin servus bonjour bonsoir salut hola thanks thank thx danke dank dankeschon merci gracias morning morgen tag abend dias tardes noches bye ciao',
);
const COURTEOUS = setOf(`
  good afternoon evening guten buenos buenas there all you u so much a lot very many again schon sehr vielen beaucoup bien mil
  muchas great perfect nice cool awesome super prima parfait perfecto genial ok okay that works`);

/** "Thanks, that works!" asks for nothing. A bare "ok" may accept a proposal. */
function isCourtesy(sentences: readonly string[]): boolean {
  const said = sentences.flatMap(
    (sentence) => sentence.toLowerCase().match(/[\p{L}']+|[^\s\p{L}'.,;:!¡)(-]/gu) ?? [],
  );
  return (
    said.some((word) => GREETS.has(word)) && said.every((word) => GREETS.has(word) || COURTEOUS.has(word))
  );
}

/** Characters of a message that are examined, and of a sentence. */
const LOOKED_AT = 20_000;
const MAX_SENTENCE = 600;

/** The sentences of a message, without quotations and accents, so that a word is letters of ASCII. */
const sentencesOf = (task: string): string[] =>
  task
    .slice(0, LOOKED_AT)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll('’', "'")
    .replace(/```[\s\S]*?(?:```|$)|`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|«[^»\n]*»/g, '§')
    .split(/(?<=[.!?…])\s+|\n+|(?=¿)/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim().slice(0, MAX_SENTENCE))
    .filter((sentence) => sentence !== '');

function asksForChange(language: AskingLanguage, sentence: string): boolean {
  const said = language.aside ? sentence.replace(language.aside, ' ') : sentence;
  if (isFound(language.requests, said)) return true;
  return !language.asksHow.test(said) && isFound(language.orders, said);
}

/** Whether one of the patterns is found, and it asks for more than words. */
const isFound = (patterns: readonly RegExp[], said: string): boolean =>
  patterns.some((pattern) => {
    const found = pattern.exec(said);
    return found !== null && !isOnlyWords(found[0], said.slice(found.index + found[0].length), said);
  });

/** Verbs that make texts as well as files. */
const MAKES =
  /\b(?:writ\w+|mak(?:e|ing)|creat\w+|generat\w+|draft\w*|schreib\w*|erstell\w*|mach\w*|ecri\w+|cree\w*|genere\w*|fai\w+|escrib\w+|crea\w*|genera\w*|haz|hac\w+)\W*$/i;
const WORDS =
  /\b(?:summary|overview|explanation|description|list|comparison|breakdown|outline|analysis|table|estimate|guess|suggestions?|recommendations?|review|diagram|paragraph|sentence|e-?mail|reply|answer|report|plan|proposal|poem|joke|zusammenfassung|ubersicht|uberblick|erklarung|beschreibung|liste|auflistung|tabelle|analyse|vergleich|vorschla\w+|antwort|bericht|resume|explication|tableau|comparaison|apercu|proposition|rapport|resumen|lista|explicacion|descripcion|tabla|analisis|comparacion|propuesta|informe)\b/i;
/** A path, or its placeholder: words that go there are a change. */
const NAMES_FILE = /§|\w\.[a-z]\w{0,4}\b|\b(?:file|readme|changelog|datei|fichier|archivo)\b/i;

/** Characters after a verb in which its object stands. */
const NEAR = 60;

/** "Can you write me a summary of it?" asks for words; "… a summary into notes.md" does not. */
const isOnlyWords = (asked: string, rest: string, sentence: string): boolean =>
  MAKES.test(asked) && WORDS.test(asked + rest.slice(0, NEAR)) && !NAMES_FILE.test(sentence);
