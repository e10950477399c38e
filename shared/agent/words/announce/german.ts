import { anyOf, deedBy, type Language, wordsOf } from './language.ts';

/** Infinitives of saying, being, judging and waiting. After "ich werde", all others at the end are deeds. */
const NO_DEEDS = wordsOf(`
  sein bleiben haben warten abwarten sagen erklären beschreiben erläutern zeigen geben lassen werden können müssen sollen
  wollen ausdrücken zusammenfassen vorschlagen raten empfehlen antworten wiederholen erinnern merken nennen helfen
  ausholen beginnen anfangen schließen enden glauben denken überlegen wissen verstehen gestehen hinzusagen ergänzen
  präzisieren klarstellen formulieren machen tun beantworten danken wünschen gehen kommen halten melden bescheid_geben
  berücksichtigen beachten achten vermeiden behalten benötigen brauchen versuchen bemühen ansprechen hinweisen stehen
  dran freuen drücken weiterhelfen unterstützen duzen siezen vertrauen annehmen ablehnen verzichten eingehen`);
const TO_DO = `(?:laufen lassen|(?<!\\w)(?!${NO_DEEDS}(?![\\wäöüß]))[\\wäöüß]+n)`;

/** First persons of the same. */
const NO_DO = wordsOf(`
  bleibe habe warte sage erkläre beschreibe erläutere zeige gebe lasse werde könnte müsste sollte wollte würde hätte wäre
  wüsste möchte fasse schlage rate empfehle antworte wiederhole erinnere merke nenne helfe hole_(?:etwas|weit|kurz_aus) beginne
  fange schließe glaube denke überlege verstehe gestehe ergänze formuliere mache tue danke wünsche gehe komme halte
  melde berücksichtige beachte achte brauche benötige versuche weise stehe freue drücke vertraue nehme_an verzichte
  sehe schaue erkenne finde vermute hoffe meine kenne erwarte ahne bitte`);
const DO = `(?!(?:${NO_DO})(?![\\wäöüß]))[\\wäöüß]+e`;

const LOOK =
  '(?:sehe|schaue|schau|seh)(?=.*\\b(?:an|nach|hinein|rein|durch)(?:[.!:…\\s]*$|,? und\\b)|.*\\b(?:in|ins|im|bei)\\s)';
const NOW =
  'jetzt|nun|als nächstes|als erstes|zuerst|zunächst|erst (?:ein)?mal|gleich|kurz|sofort|schnell|eben|direkt|danach|dann';
const CLAUSE = `(?:^|[,;:–—] )(?:(?:und|also|gut|okay|ok|alles klar|verstanden|danke|(?:einen )?moment(?:,? bitte)?|daher|deshalb)[,.!]? )*`;

/** Checked first: the pattern below takes milliseconds to compile, which other languages do not need. */
const SPEAKER = /\b(?:ich|lass)/i;

const DEED = new RegExp(
  anyOf(
    `${CLAUSE}(?:ich werde|(?:(?:${NOW}|daher|deshalb|dazu|dafür) )?werde ich)\\b(?=.*\\s${TO_DO}[.!:…\\s]*$)`,
    `${CLAUSE}ich bin (?:gerade |jetzt )?dabei\\b(?=.*\\bzu\\b)`,
    `${CLAUSE}(?:${NOW}) (?:${DO}|${LOOK}) ich\\b`,
    `${CLAUSE}ich (?:${DO}|${LOOK})\\b(?=.*\\b(?:${NOW})\\b)`,
    `${CLAUSE}(?:das|dies) (?:mache|erledige|prüfe|übernehme|kläre|hole|ändere|starte|tue) ich\\b(?=.*\\b(?:${NOW})\\b)`,
    `${CLAUSE}ich (?:mache|setze) mich (?:${NOW}) (?:an|dran|daran)\\b`,
    `${CLAUSE}ich (?:mache|erledige) (?:das|dies|es) (?:${NOW})\\b`,
    `${CLAUSE}ich (?:bin schon dran|bin schon dabei|kümmere mich (?:darum|drum))(?=[.!…]*$)`,
    `${CLAUSE}ich sehe (?:mir|nach)\\b(?=.*\\b(?:an|nach)(?:[.!:…\\s]*$|,? und\\b))`,
    `^(?:(?:bitte )?(?:warten sie |haben sie )?(?:bitte )?(?:einen|kleinen) (?:moment|augenblick)|moment|sekunde)(?:,? bitte)?(?: geduld)?[,:–] ich (?:${DO}|${LOOK})\\b`,
    `${CLAUSE}(?:(?:${NOW}) )?lass(?:en sie|t)? (?:mich|uns)\\b(?=.*\\s${TO_DO}[.!:…\\s]*$)`,
  ),
  'i',
);

export const german: Language = {
  deedIn: (sentence) => (SPEAKER.test(sentence) ? deedBy(DEED, sentence) : undefined),
  notAfter:
    /\b(?:sagt|sagte|schreibt|schrieb|heißt|bedeutet|antwortet|auf deutsch|übersetzt|zum beispiel|brauche|bräuchte|benötige|fehlt|fehlen)\b|^(?:lade?|schicke?|schreibe?|gib|sage?|nenne?|melde?|starte|klicke?|öffne|teile?) /i,
  waits:
    /\b(?:wenn|falls|sobald|bis|nachdem|sofern|nur|nicht|nichts|nie|kein\w*|erst wenn|ohne|morgen|übermorgen|später|demnächst|künftig|immer|jeden?|jedes mal|ab (?:jetzt|sofort)|in zukunft|heute (?:nacht|abend|nachmittag)|am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|nächste (?:woche|mal)|in (?:\d+|einer|zwei|ein paar) \w+)\b/i,
  harmless: /\b(?:nicht nur|ob \w+ nicht|für (?:sie|dich|ihnen))\b/gi,
  asks: /(?<![\wäöüß])(?:bitte(?! (?:warten|einen|haben sie einen|um einen))|sagen sie|sag mir|schicken sie|schick mir|geben sie mir|(?:ihre|deine|ihrer|deiner) (?:zustimmung|bestätigung|freigabe|antwort|erlaubnis)|ich warte|soll ich|melden sie sich|melde dich)(?![\wäöüß])(?<!moment,? bitte)/i,
  goesOn: /^(?:und )?(?:dann|danach|anschließend)\b/i,
  pause:
    /^(?:(?:einen |kleinen )?(?:moment|augenblick)(?:,? bitte)?[.!…]*$|das (?:dauert|kann|wird|sollte)\b|bitte (?:warten|haben sie einen moment)|ich bin gleich zurück)/i,
};
