/** Whether a message says "stop", in the languages of the guards' word lists: English, German, French and Spanish. */

import type { SlackMessage } from './inbound.ts';

/** The whole of what people say. It is compared without marks, case and words of politeness. */
const STOPS: ReadonlySet<string> = new Set([
  // English.
  ...[
    'stop',
    'stop it',
    'stop that',
    'stop this',
    'stop now',
    'stop working',
    'stop the run',
    'cancel',
    'cancel it',
  ],
  ...[
    'cancel that',
    'cancel this',
    'cancel the run',
    'halt',
    'abort',
    'abort it',
    'abort that',
    'abort the run',
  ],
  // German.
  ...[
    'stopp',
    'stoppe',
    'stopp das',
    'stop das',
    'abbrechen',
    'abbruch',
    'brich ab',
    'brich das ab',
    'breche ab',
  ],
  ...['anhalten', 'halt an', 'aufhören', 'hör auf', 'hör auf damit', 'hör damit auf', 'halt stopp'],
  // French.
  ...[
    'arrête',
    'arrête ça',
    'arrête tout',
    'arrêter',
    'arrêtez',
    'arrêtez ça',
    'arrêtez tout',
    'annule',
    'annuler',
  ],
  ...['annule ça', 'annulez', 'stoppez', 'interromps', 'arrete', 'arrete ca', 'arretez'],
  // Spanish.
  ...[
    'para',
    'para ya',
    'para eso',
    'pare',
    'paren',
    'parar',
    'detente',
    'detén',
    'deténgase',
    'detener',
    'alto',
  ],
  ...[
    'basta',
    'cancela',
    'cancela eso',
    'cancelar',
    'cancele',
    'cancélalo',
    'deten',
    'detengase',
    'cancelalo',
  ],
]);

/** Words around it: "please", "now", "at once". */
const POLITE =
  /(?<![\p{L}])(?:please|pls|now|right now|immediately|bitte|sofort|jetzt|s['’]il (?:te|vous) pla[iî]t|stp|svp|maintenant|por favor|ahora|ya)(?![\p{L}])/giu;

/** Characters of the longest such message, with politeness. */
const MOST = 60;

/**
 * Whether a message only says that the run should stop. Marks and a name that it begins with may stand around it
 * ("@Steploop: stop!").
 *
 * @param questions what the agent asks at the moment: a word that stands in them is an answer ("Cancel the order, or keep
 *   it?"), except "stop" itself
 */
export function isStop(
  { text, files, attached }: Pick<SlackMessage, 'text' | 'files'> & { readonly attached?: string },
  questions: readonly string[] = [],
): boolean {
  if (files.length > 0 || attached !== undefined || text.length > MOST) return false;
  const said = bare(text);
  const stops = STOPS.has(said) ? said : bare(said.replaceAll(POLITE, ' '));
  if (!STOPS.has(stops)) return false;
  const [word = ''] = stops.split(' ');
  return word === 'stop' || !questions.some((question) => bare(question).split(' ').includes(word));
}

/** Words alone, in lower case. */
const bare = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/:[a-z_]+:/g, ' ')
    .replaceAll(/[^\p{L}\p{N}'’]+/gu, ' ')
    .trim();
