import { anyOf, wordsOf } from '../announce/language.ts';
import type { AskingLanguage } from './language.ts';

/** Stems of verbs that change things: with `en` their infinitive, with `e` or nothing their order. Without umlauts. */
const STEMS = wordsOf(`
  reparier beheb korrigier ander fix erganz entfern losch ersetz schreib uberarbeit aktualisier verschieb erstell erzeug
  implementier refaktorier refaktorisier refactor vereinfach formatier optimier beschleunig verbesser erweiter konfigurier
  installier migrier portier deaktivier aktivier setz mach erledig los bereinig dokumentier konvertier kurz bau merg verwend
  entkoppel benutz vereinheitlich uberschreib`);
/** Verbs of two parts, as infinitives and as orders. */
const JOINED = wordsOf(`
  anpassen umbenennen hinzufugen einfugen umschreiben anlegen einbauen umbauen ausbauen aufraumen umstellen austauschen
  auslagern zusammenfuhren einrichten zurucksetzen zurucknehmen ruckgangig_machen abschalten einschalten ausschalten
  einstellen umwandeln nachziehen einpflegen hochziehen rausnehmen rauswerfen nachtragen tun umsetzen fertigstellen`);
const PARTED = anyOf(
  'pass\\w*(?=.* an\\b)|benenn\\w*(?=.* um\\b)|fug\\w*(?=.* (?:hinzu|ein)\\b)|schreib\\w*(?=.* um\\b)|leg\\w*(?=.* an\\b)',
  'bau\\w*(?=.* (?:ein|um|aus)\\b)|raum\\w*(?=.* auf\\b)|stell\\w*(?=.* (?:um|ein)\\b)|tausch\\w*(?=.* aus\\b)',
  'fuhr\\w*(?=.* zusammen\\b)|richt\\w*(?=.* ein\\b)|nimm(?=.* (?:zuruck|raus)\\b)|schalt\\w*(?=.* (?:ab|ein|aus)\\b)',
  'wandel\\w*(?=.* um\\b)|setz\\w*(?=.* (?:um|zuruck)\\b)',
);
const INFINITIVE = `(?:(?:${STEMS})(?:e?n)|${JOINED})\\b`;
const ORDER = `(?:(?:${STEMS})(?:e|t|en sie)?|${PARTED}(?: sie)?)\\b`;
const POLITE =
  '(?:(?:bitte|nun|jetzt|dann|und|also|ok|okay|gut|danach|einfach|doch|mal|wenn (?:ja|nein|nicht|moglich|so)),? )';
const END = '(?=[.!?…]*$|,| und\\b| oder\\b| bitte\\b)';

/** Orders to look and to tell, which an order to change something may follow. */
const LOOK =
  'erklar\\w*|beschreib\\w*|zeig\\w*|erlauter\\w*|finde? heraus|pruf\\w*|analysier\\w*|vergleich\\w*|untersuch\\w*';

export const german: AskingLanguage = {
  tells:
    /^(?:was|warum|wieso|weshalb|wie|wo|wann|wer|wen|wem|wessen|welche[rsnm]?|wozu|woran|woher|wohin|wofur|wodurch|womit|gibt es|ist|sind|hat|haben|erklar\w*|beschreib\w*|zeig\w*|liste|nenn\w*|sag\w* (?:mir|uns)|fass\w* .*zusammen|erlauter\w*|finde? heraus|prufe?n?(?: sie| mal)?,? ob|analysier\w*|vergleich\w*|untersuch\w*|funktioniert|soll|sollte[nt]?|darf|muss)\b/i,
  requests: [
    new RegExp(
      `(?<!\\b(?:wie|was|wo|wann|warum|wieso|womit|welche\\w*) )\\b(?:(?:kannst|konntest|magst|wurdest|willst) du|(?:konnen|konnten|wurden|mochten|wollen) (?:sie|wir)|(?:konnt|konntet|wurdet) ihr|kann (?:man|jemand|wer)|ich (?:mochte|hatte gern), dass)\\b.*? ${INFINITIVE}${END}`,
      'i',
    ),
    new RegExp(
      `\\b(?:bitte|warst du|waren sie|ware es moglich|ist es moglich)\\b.*? (?:zu )?${INFINITIVE}${END}`,
      'i',
    ),
    new RegExp(`\\bbitte ${ORDER}`, 'i'),
  ],
  orders: [
    new RegExp(`^${POLITE}*${ORDER}(?!\\?+$)`, 'i'),
    new RegExp(
      `[,;:–—] ${POLITE}*${ORDER}(?= (?:es|ihn|sie|das|den|die|dies\\w*|alles|alle|§|bitte)\\b| §)`,
      'i',
    ),
    new RegExp(`\\bund (?:dann |bitte )?${ORDER}(?= (?:es|ihn|das|dies\\w*)\\b)`, 'i'),
    new RegExp(
      `^(?:${LOOK})\\b[^,]*? und (?:dann |danach |bitte )?${ORDER}(?= (?:den|die|der|alle|§)\\b| §)`,
      'i',
    ),
  ],
  asksHow: /\bwie\b|\b(?:ich|wir|man)\b/i,
  aside:
    /, (?:wie|warum|wieso|weshalb|was|wo|ob|wann|wer|welche\w*|wodurch|woran|dass man|wenn ich|wenn man)\b[^,?!]*/gi,
};
