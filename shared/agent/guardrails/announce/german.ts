import { anyOf, deedBy, type Language, wordsOf } from './language.ts';

/** Infinitives, which end the sentence: "Ich werde die Datei lesen." */
const TO_DO = wordsOf(`
  prüfen überprüfen nachprüfen nachsehen nachschauen ansehen anschauen durchsehen durchgehen lesen durchlesen einlesen
  suchen heraussuchen nachschlagen durchsuchen finden herausfinden öffnen ausführen durchführen starten anpassen
  ändern korrigieren beheben reparieren erstellen anlegen aktualisieren hinzufügen einfügen löschen entfernen testen
  untersuchen auflisten abrufen abfragen holen laden herunterladen hochladen schreiben umschreiben installieren
  vergleichen ermitteln umsetzen einbauen implementieren analysieren senden abschicken verschicken buchen stornieren
  erstatten bauen umbenennen ersetzen verschieben kopieren speichern auslesen auswerten messen zählen rufen aufrufen
  bereitstellen ausrollen laufen_lassen neustarten werfen einrichten verifizieren sichten kontrollieren`);

/** Infinitives of saying, being and waiting. */
const NO_DEEDS = wordsOf(`
  sein bleiben haben warten sagen erklären beschreiben erläutern zeigen geben lassen werden können müssen sollen
  wollen ausdrücken zusammenfassen vorschlagen raten empfehlen antworten wiederholen erinnern merken nennen helfen
  ausholen beginnen anfangen schließen enden glauben denken überlegen wissen verstehen gestehen hinzusagen ergänzen
  präzisieren klarstellen formulieren machen beantworten danken wünschen gehen kommen halten melden`);
const ANY_DEED = `(?<!\\w)(?!${NO_DEEDS}(?![\\wäöüß]))[\\wäöüß]+n`;

/** First persons of the same, for "Ich prüfe jetzt …". */
const DO = wordsOf(`
  prüfe überprüfe lese suche durchsuche öffne führe starte passe ändere korrigiere behebe repariere erstelle lege
  aktualisiere füge lösche entferne teste untersuche liste rufe frage hole lade installiere vergleiche ermittle setze
  baue implementiere analysiere buche storniere erstatte benenne ersetze verschiebe kopiere speichere werte messe
  zähle richte verifiziere kontrolliere`);

const LOOK =
  '(?:sehe|schaue|schau|seh)(?=.*\\b(?:an|nach|hinein|rein|durch)[.!:…\\s]*$|.*\\b(?:in|ins|im|bei)\\s)';
const NOW =
  'jetzt|nun|als nächstes|als erstes|zuerst|zunächst|erst (?:ein)?mal|gleich|kurz|sofort|schnell|eben|direkt|danach|dann';
const CLAUSE = `(?:^|[,;:–—] )(?:(?:und|also|gut|okay|ok|alles klar|verstanden|danke|einen moment|moment|daher|deshalb)[,.!]? )*`;

/** Looked for first: the pattern below takes milliseconds to be read, for which another language has no use. */
const SPEAKER = /\b(?:ich|lass)/i;

const DEED = new RegExp(
  anyOf(
    `${CLAUSE}(?:(?:${NOW}|daher|deshalb|dazu|dafür) werde ich|ich werde)\\b(?=.*\\b${TO_DO}[.!:…\\s]*$)`,
    `${CLAUSE}(?:ich werde|werde ich)\\b(?=.*\\b(?:${NOW})\\b)(?=.*\\s${ANY_DEED}[.!:…\\s]*$)`,
    `${CLAUSE}(?:${NOW}) (?:${DO}|${LOOK}) ich\\b`,
    `${CLAUSE}ich (?:${DO}|${LOOK})\\b(?=.*\\b(?:${NOW})\\b)`,
    `${CLAUSE}ich sehe (?:mir|nach)\\b(?=.*\\b(?:an|nach)[.!:…\\s]*$)`,
    `^(?:einen (?:moment|augenblick)|moment|sekunde)(?: bitte)?[,:] ich (?:${DO}|${LOOK})\\b`,
    `${CLAUSE}(?:(?:${NOW}) )?lass(?:en sie|t)? (?:mich|uns)\\b(?=.*\\s${ANY_DEED}[.!:…\\s]*$)`,
  ),
  'i',
);

export const german: Language = {
  deedIn: (sentence) => (SPEAKER.test(sentence) ? deedBy(DEED, sentence) : undefined),
  notAfter:
    /\b(?:sagt|sagte|schreibt|schrieb|heißt|bedeutet|antwortet|auf deutsch|übersetzt|zum beispiel)\b/i,
  waits:
    /\b(?:wenn|falls|sobald|bis|nachdem|sofern|nur|nicht|nichts|nie|kein\w*|erst wenn|ohne|morgen|übermorgen|später|demnächst|künftig|immer|jeden?|jedes mal|ab (?:jetzt|sofort)|in zukunft|heute (?:nacht|abend|nachmittag)|am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|nächste (?:woche|mal)|in (?:\d+|einer|zwei|ein paar) \w+|ihnen|dir|euch)\b/i,
  harmless: /\b(?:nicht nur|ob \w+ nicht|für (?:sie|dich|ihnen))\b/gi,
  asks: /(?<![\wäöüß])(?:bitte(?! (?:warten|einen|um einen))|sagen sie|sag mir|schicken sie|schick mir|geben sie mir|(?:ihre|deine|ihrer|deiner) (?:zustimmung|bestätigung|freigabe|antwort|erlaubnis)|ich warte|soll ich|melden sie sich|melde dich)(?![\wäöüß])(?<!moment,? bitte)/i,
  goesOn: /^(?:und )?(?:dann|danach|anschließend)\b/i,
  pause:
    /^(?:(?:einen |kleinen )?(?:moment|augenblick)(?: bitte)?[.!…]*$|das (?:dauert|kann|wird|sollte)\b|bitte (?:warten|haben sie einen moment)|ich bin gleich zurück)/i,
};
