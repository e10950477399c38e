import { anyOf, deedBy, type Language, wordsOf } from './language.ts';

/** Infinitives of saying, being, judging and waiting. After "je vais", all others are deeds. */
const NO_DEEDS = wordsOf(`
  être rester attendre patienter dire redire expliquer préciser répondre résumer reformuler donner montrer rappeler
  ajouter_(?:que|un) parler commencer_par_(?:un|le|la)_(?:exemple|début|plus|principe) supposer croire penser réfléchir proposer
  conseiller recommander savoir finir conclure souligner citer clarifier prendre laisser arrêter toujours jamais
  avouer faire aider partir aller avoir deviner décrire illustrer corriger_(?:mon|ma) revenir permettre devoir pouvoir
  vouloir falloir garder tenir essayer éviter suivre accepter refuser supporter souhaiter remercier tenter parier`);

/** First persons of the same, and other words that may stand after "je". */
const NO_DO = wordsOf(`
  suis reste attends dis redis explique précise réponds résume reformule donne montre rappelle ajoute_que parle suppose
  crois pense réfléchis propose conseille recommande sais finis conclus souligne cite prends laisse avoue fais aide
  pars vais ai avais devine décris reviens dois peux veux voudrais pourrais devrais aimerais garde tiens vois comprends
  constate remarque note confirme informe remercie souhaite espère préfère trouve connais écoute signale invite ne me
  suggère imagine entends perçois sens vous te les la le serai aurai pourrai ferai dirai resterai`);

const LETTER = '[a-zà-ÿœ]';
/** A word ends. */
const END = `(?!${LETTER})`;

const NOW =
  "maintenant|tout de suite|immédiatement|d'abord|à présent|aussitôt|de ce pas|dès maintenant|rapidement";
const CLAUSE =
  "(?:^|[,;:–—] |\\bdonc )(?:(?:et|alors|donc|bien|bon|d'accord|parfait|très bien|merci|maintenant|ensuite|puis|d'abord|un (?:instant|moment)(?:,? s'il (?:vous|te) plaît)?)[,.!]? )*";
const ADVERBS = `(?:${anyOf(NOW, 'ensuite|alors|donc|aussi|juste|simplement|commencer par|essayer de|d’abord')} )*`;
const OBJECT = "(?:(?:vous |te |t'|me )?(?:les? |la |l'|y |en )?)";
const TO_DO = `(?!(?:${NO_DEEDS})${END})${LETTER}+(?:er|ir|re)${END}`;
const DO = `(?!(?:${NO_DO})${END})${LETTER}+(?:e|s|x|rai)(?<!rais)${END}`;
const PAUSE = '(?:un (?:petit )?(?:instant|moment)|une (?:seconde|minute)|patientez|veuillez patienter)';

/** Checked first: the pattern below takes milliseconds to compile, which other languages do not need. */
const SPEAKER = /\bje\b|laisse/i;

const DEED = new RegExp(
  anyOf(
    `${CLAUSE}(?:je vais|laisse[zs]?-moi) ${ADVERBS}${OBJECT}${TO_DO}`,
    `${CLAUSE}je m'occupe de (?:${TO_DO}|cela|ça)${END}`,
    `${CLAUSE}je (?:m'en occupe|m'y mets|(?:le|la|les) fais)(?=[.!…]*$| .*(?:${NOW})${END})`,
    `${CLAUSE}je suis en train de ${OBJECT}${TO_DO}`,
    `${CLAUSE}je ${OBJECT}${DO}(?=.*(?:${NOW})${END})`,
    `^(?:et |puis |alors )?(?:${NOW}|ensuite|puis),? je ${OBJECT}${DO}`,
    `^${PAUSE}[^.!]*?[,:] je ${OBJECT}(?:vais ${OBJECT}${TO_DO}|${DO})`,
  ),
  'i',
);

export const french: Language = {
  deedIn: (sentence) => (SPEAKER.test(sentence) ? deedBy(DEED, sentence) : undefined),
  notAfter:
    /\b(?:dit|dites|écrit|écrivez|signifie|répond|répondez|envoyez|exemple|traduction|si|il me (?:faut|manque))\b/i,
  waits:
    /(?<![\wéèêàç])(?:si|s'il|quand|dès que?|lorsqu\w*|une fois|jusqu\w*|après que|uniquement|seulement|sans|pas|rien|jamais|demain|ce soir|plus tard|bientôt|désormais|dorénavant|toujours|chaque|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|dans (?:\d+|une?|deux|quelques)|toi|(?<!je |vais )vous(?! (?:les? |la |l'|en )?\w*(?:er|[oi]r|re)\b))(?![\wéèêàç])/i,
  harmless:
    /\b(?:s'il (?:vous|te) plaît|pour (?:vous|toi)|voir si|vérifier si|dès maintenant)(?![\wéèêàç])/gi,
  asks: /(?<![\wéèêàç])(?:(?<!(?:instant|moment|minute|seconde|patientez),? )s'il (?:vous|te) plaît|veuillez(?! patienter| m'accorder)|dites-moi|dis-moi|envoyez-moi|envoie-moi|votre (?:accord|confirmation|réponse)|j'attends)(?![\wéèêàç])/i,
  goesOn: /^(?:et )?(?:puis|après)(?:,? je)\b/i,
  pause:
    /^(?:un (?:instant|moment)(?:,? (?:s'il (?:vous|te) plaît))?[.!…]*$|cela (?:prend|va|peut|devrait)\b|ça (?:prend|va|peut|devrait)\b|(?:veuillez )?patiente[zr](?!.*\bje\b))/i,
};
