import { anyOf, deedBy, type Language, wordsOf } from './language.ts';

const TO_DO = wordsOf(`
  vérifier revérifier consulter lire relire ouvrir lancer relancer exécuter chercher rechercher regarder examiner
  corriger modifier créer ajouter supprimer tester analyser inspecter ajuster écrire réécrire installer récupérer
  trouver comparer redémarrer déployer parcourir charger télécharger envoyer réserver annuler rembourser remplacer
  renommer déplacer copier enregistrer générer compiler construire interroger appeler explorer étudier mesurer
  contrôler valider effacer appliquer implémenter configurer restaurer fusionner publier lister extraire réparer
  démarrer activer désactiver mettre_à_jour mettre_en_place jeter_un_(?:coup_d')?œil jeter_un_(?:coup_d')?oeil
  me_renseigner voir_ce_(?:que|qui) voir_si`);

const NO_DEEDS = wordsOf(`
  être rester attendre dire redire expliquer préciser répondre résumer reformuler donner montrer rappeler
  ajouter_(?:que|un) vous te parler commencer_par_(?:un|le|la) supposer croire penser réfléchir proposer conseiller
  recommander savoir finir conclure souligner citer clarifier prendre laisser m'arrêter toujours jamais en_rester
  avouer faire aider partir aller avoir deviner décrire illustrer corriger_(?:mon|ma)`);

const DO = wordsOf(`
  vérifie consulte lis ouvre lance relance exécute cherche recherche regarde examine corrige modifie crée ajoute
  supprime teste analyse inspecte ajuste écris installe récupère compare redémarre déploie parcours charge télécharge
  envoie réserve annule rembourse remplace renomme déplace copie génère compile interroge appelle applique configure
  liste mets`);

const NOW =
  "maintenant|tout de suite|immédiatement|d'abord|à présent|aussitôt|de ce pas|dès maintenant|rapidement";
const CLAUSE =
  "(?:^|[,;:–—] |\\bdonc )(?:(?:et|alors|donc|bien|bon|d'accord|parfait|très bien|merci|maintenant|ensuite|puis|d'abord|un instant)[,.!]? )*";
const ADVERBS = `(?:${anyOf(NOW, 'ensuite|alors|donc|aussi|juste|simplement|commencer par|essayer de|d’abord')} )*`;
const OBJECT = "(?:les? |la |l'|y |en )?";

/** Looked for first: the pattern below takes milliseconds to be read, for which another language has no use. */
const SPEAKER = /\bje\b|laisse/i;

const DEED = new RegExp(
  anyOf(
    `${CLAUSE}je vais ${ADVERBS}${OBJECT}${TO_DO}(?![\\wéèêàç])`,
    `${CLAUSE}laisse[zs]?-moi ${ADVERBS}${OBJECT}${TO_DO}(?![\\wéèêàç])`,
    `${CLAUSE}(?:laisse[zs]?-moi|je vais(?=.*(?:${NOW}))) ${ADVERBS}${OBJECT}(?!${NO_DEEDS}(?![\\wéèêàç]))[\\wéèêàç]+(?:er|ir|re)(?![\\wéèêàç])`,
    `${CLAUSE}je m'occupe de (?:${TO_DO}|cela|ça)(?![\\wéèêàç])`,
    `${CLAUSE}je ${OBJECT}${DO}(?![\\wéèêàç])(?=.*(?:${NOW})(?![\\wéèêàç]))`,
    `^(?:un (?:instant|moment)|une (?:seconde|minute))[^.!]*?[,:] je ${OBJECT}(?:vais ${OBJECT}${TO_DO}|${DO})(?![\\wéèêàç])`,
  ),
  'i',
);

export const french: Language = {
  deedIn: (sentence) => (SPEAKER.test(sentence) ? deedBy(DEED, sentence) : undefined),
  notAfter: /\b(?:dit|dites|écrit|écrivez|signifie|répond|répondez|envoyez|exemple|traduction|si)\b/i,
  waits:
    /(?<![\wéèêàç])(?:si|s'il|quand|dès que?|lorsqu\w*|une fois|jusqu\w*|après que|uniquement|seulement|sans|pas|rien|jamais|demain|ce soir|plus tard|bientôt|désormais|dorénavant|toujours|chaque|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|dans (?:\d+|une?|deux|quelques)|vous|te|toi)(?![\wéèêàç])/i,
  harmless: /\b(?:pour (?:vous|toi)|voir si|vérifier si|dès maintenant)\b/gi,
  asks: /(?<![\wéèêàç])(?:s'il (?:vous|te) plaît|veuillez|dites-moi|dis-moi|envoyez-moi|envoie-moi|votre (?:accord|confirmation|réponse)|j'attends)(?![\wéèêàç])/i,
  goesOn: /^(?:et )?(?:puis|après)(?:,? je)\b/i,
  pause:
    /^(?:un (?:instant|moment)(?:,? (?:s'il (?:vous|te) plaît))?[.!…]*$|cela (?:prend|va|peut|devrait)\b|ça (?:prend|va|peut|devrait)\b|patientez)/i,
};
