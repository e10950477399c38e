import { anyOf } from '../announce/language.ts';

/** How one language asks for a file. Tried on single sentences without accents and quotations, with one blank between words. */
interface Wanting {
  /** Orders to make something, where a sentence or a clause begins, or requests up to their verb. */
  readonly orders: RegExp;
  /** The sentence asks for information, forbids, tells of another time or of others: its verbs order nothing. */
  readonly notNow: RegExp;
  /** Between the verb and the file: the file is where something is taken from. */
  readonly source: RegExp;
}

const english: Wanting = {
  orders: new RegExp(
    anyOf(
      `(?:^|[,;:–—-] |\\b(?:please|and|then|also|just|now|kindly|(?:can|could|would|will) you(?: please)?|(?:want|need|like) you to|i'd like you to|let's|have to|don't forget to|remember to|make sure to|why (?:don't|not)(?: you)?) )(?:please,? |also |then |just )*(?:write|create|save|produce|generate|draft|put|record|document|export|update|make(?= (?:me |us )?(?:an?|the)\\b)|store|add (?:an?|the|another)(?: new)? (?:file|document))\\b`,
      "\\b(?:i|we)(?:'d| would)? (?:need|want|like) (?=(?:an?|the|another) (?:new |short )?(?:file |document )?[\\w./-]+\\.md\\b)",
      '\\b(?:result|results|output|answer|summary|findings) (?:should|must|has to|have to|belongs?) (?:go|be (?:written|saved|put|stored))',
    ),
    'gi',
  ),
  notNow: new RegExp(
    anyOf(
      "^(?:(?:so|and|but|ok|okay),? )?(?:what|why(?! (?:don't|not)\\b)|how|when|where|who|whose|which|should|shall|did|does|do(?! (?:it|that|this)\\b)|has|have|had|is|are|was|were|am|may|might|must|if)\\b",
      "\\bhow (?:to|do|does|can|could|should|would|one|you|i|we)\\b|\\b(?:not|never|without|no longer|instead of)\\b(?<!why not)|n't\\b(?<!(?:why don't|(?:can|could|would|won)'t|don't(?= forget)))",
      '\\b(?:asked|asks|told|tells|wants|said|says|wanted|suggested|reads?:|example|e\\.g\\.|suppose|imagine|later|tomorrow|next week|someday|eventually|usually|would you (?:put|write)|worth|whether)\\b',
    ),
    'i',
  ),
  source: /\b(?:from|of|based on|according to|about|like|using|with the (?:contents?|text) of)\b/i,
};

const german: Wanting = {
  orders: new RegExp(
    anyOf(
      '(?:^|[,;:–—-] |\\b(?:und|bitte|dann|danach|nun|jetzt|also) )(?:bitte |mir |uns |dann |noch |jetzt )*(?:erstelle?|schreibe?|lege?|erzeuge?|generiere?|speich(?:er|re)e?|verfasse?|dokumentiere?|aktualisiere?|mache?|sichere?|exportiere?|erganze?)(?:n sie| sie|t)?\\b',
      '\\b(?:kannst|konntest|wurdest|magst) du\\b(?=.*\\b(?:erstellen|schreiben|anlegen|erzeugen|generieren|speichern|ablegen|verfassen|dokumentieren|aktualisieren|festhalten|exportieren)\\b)',
      '\\b(?:konnen|konnten|wurden) sie\\b(?=.*\\b(?:erstellen|schreiben|anlegen|erzeugen|generieren|speichern|ablegen|verfassen|dokumentieren|aktualisieren|festhalten|exportieren)\\b)',
      '\\b(?:ich|wir) (?:brauche|brauchen|mochte|mochten|will|wollen|hatte gern) (?=(?:eine?n? )(?:neuen? )?(?:datei )?[\\w./-]+\\.md\\b)',
    ),
    'gi',
  ),
  notNow:
    /^(?:was|warum|wieso|weshalb|wie|wo|wann|wer|wessen|welche\w*|soll|sollte\w*|ist|sind|hat|haben|gibt|muss|darf|wenn)\b|\bwie (?:man|ich|wir|du)\b|\b(?:nicht|nie|niemals|kein\w*|ohne|spater|morgen|wollte|sagte|sagt|bat|ob)\b/i,
  source: /\b(?:aus|von|vom|anhand|laut|uber|mit (?:den|dem) inhalt\w*)\b/i,
};

const french: Wanting = {
  orders: new RegExp(
    anyOf(
      "(?:^|[,;:–—-] |\\b(?:et|puis|ensuite|maintenant|alors|merci de|veuillez|s'il (?:te|vous) plait,?|stp|svp) )(?:cree[rz]?|ecri(?:s|vez|re)|genere[rz]?|enregistre[rz]?|redige[rz]?|sauvegarde[rz]?|mets|mettez|ajoute[rz]? un (?:nouveau )?(?:fichier|document)|documente[rz]?|produi(?:s|sez|re))(?:-(?:moi|nous|le|la|les))?\\b",
      "\\b(?:peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|tu peux|vous pouvez|il faudrait|j'aimerais que tu|peut-on) (?:me |nous |m'|l'|le |la |les )?(?:creer|ecrire|generer|enregistrer|rediger|sauvegarder|mettre|documenter|produire)\\b",
      "\\b(?:j'ai besoin d'|il me faut |je veux |je voudrais )(?=un (?:nouveau )?(?:fichier )?[\\w./-]+\\.md\\b)",
    ),
    'gi',
  ),
  notNow:
    /^(?:que\b|qu'|quoi\b|pourquoi\b|comment\b|ou\b|quand\b|qui\b|quel\w*\b|est-ce\b|dois-je\b|faut-il\b|si\b)|\bcomment\b|\b(?:ne|pas|jamais|sans|plus tard|demain|a dit|demande)\b|\bn'/i,
  source: /\b(?:de|du|des|depuis|d'apres|a partir|sur)\b/i,
};

const spanish: Wanting = {
  orders: new RegExp(
    anyOf(
      '(?:^¿?|[,;:–—-] |\\b(?:y|luego|despues|ahora|por favor,?) )(?:cre[ae]|escrib[ae]|gener[ae]|guard[ae]|redact[ae]|prepar[ae]|haz|haga|pon|ponga|actuali(?:za|ce)|document[ae]|anad[ae] un (?:nuevo )?(?:archivo|documento))(?:me|nos|l[ao]s?)?\\b',
      '\\b(?:puedes|podrias|puede|podria|quieres|necesito que|quiero que) (?:me |nos |l[ao]s? )?(?:crear|escribir|generar|guardar|redactar|preparar|hacer|poner|actualizar|documentar|cre[ae]s?|escrib[ae]s?|gener[ae]s?|guard[ae]s?)(?:me|nos|l[ao]s?)?\\b',
      '\\b(?:necesito|quiero|quisiera) (?=un (?:nuevo )?(?:archivo )?[\\w./-]+\\.md\\b)',
    ),
    'gi',
  ),
  notNow:
    /^¿?(?:que|por que|como|cual\w*|donde|cuando|quien\w*|debo|deberia\w*|es|esta|hay|si)\b|\bcomo\b|\b(?:no|nunca|jamas|sin|mas tarde|manana|dijo|pidio)\b/i,
  source: /\b(?:de|del|desde|segun|a partir|sobre)\b/i,
};

const languages: readonly Wanting[] = [english, german, french, spanish];

/** Characters of a message that are examined, and of a sentence. */
const LOOKED_AT = 20_000;
const MAX_SENTENCE = 600;

const FILE = /(?<![\w./-])[\w./-]+\.md\b/gi;

/** The message in sentences, without fences and quotations. A name of a file in quotes is not a quotation. */
const sentencesOf = (task: string): string[] =>
  task
    .slice(0, LOOKED_AT)
    .replace(/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1[^\n]*$|(?![\s\S]))/gm, ' ')
    .replace(/^[ \t]*>.*$/gm, ' ')
    .replaceAll('’', "'")
    .replace(/[`"'“”„«»]([\w./-]+\.md)[`"'“”«»]/gi, '$1')
    .replace(
      /`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|(?<=[\s(])'[^\n]*?'(?=[\s.,;:!?)]|$)/g,
      ' ',
    )
    .split(/(?<=[!?…])\s+|(?<=\.)\s+|\n+|(?=¿)/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim().slice(0, MAX_SENTENCE))
    .filter((sentence) => sentence !== '');

const plain = (sentence: string): string =>
  sentence.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss');

/** The `*.md` files that the speaker asks to have made or changed, now. */
export const requestedArtifacts = (task: string): string[] =>
  sentencesOf(task).flatMap((sentence) => {
    const files = [...sentence.matchAll(FILE)].map(([file]) => file);
    if (files.length === 0) return [];
    const wanted = languages.map((language) => askedIn(language, plain(sentence)));
    // Letters with accents do not change the order of the files.
    return files.filter((_file, i) => wanted.some((indexes) => indexes.includes(i)));
  });

/** Which files of a sentence it asks for, by number. */
function askedIn({ orders, notNow, source }: Wanting, sentence: string): number[] {
  if (notNow.test(sentence)) return [];
  const from = [...sentence.matchAll(orders)].map(({ index, 0: verb }) => index + verb.length);
  let end = 0;
  return [...sentence.matchAll(FILE)].flatMap(({ index, 0: file }, i) => {
    const verb = from.findLast((at) => at <= index);
    const between = sentence.slice(Math.max(verb ?? index, end), index);
    end = index + file.length;
    return verb === undefined || source.test(between) ? [] : [i];
  });
}
