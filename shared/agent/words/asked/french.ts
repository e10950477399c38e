import { anyOf, wordsOf } from '../announce/language.ts';
import type { AskingLanguage } from './language.ts';

/** Infinitives of verbs that change things, without accents. */
const CHANGE = `(?:${wordsOf(`
  corriger reparer modifier changer mettre_a_jour mettre editer ajouter inserer supprimer enlever retirer effacer remplacer
  renommer refactoriser refactorer reecrire simplifier nettoyer deplacer extraire fusionner implementer ecrire creer generer
  configurer activer desactiver convertir migrer appliquer annuler retablir restaurer ajuster adapter ameliorer optimiser
  formater integrer installer etendre resoudre documenter rendre finir terminer
  faire_(?:la_meme|le_meme|ca|cela|en_sorte)|le_faire|la_faire|les_faire`)})\\b`;
/** The same as orders. */
const ORDER = `(?:${wordsOf(`
  corrigez? reparez? modifiez? changez? mets mettez editez? ajoutez? inserez? supprimez? enlevez? retirez? effacez?
  remplacez? renommez? refactorisez? reecris reecrivez simplifiez? nettoiez? nettoyez deplacez? extrais extrayez fusionnez?
  implementez? ecris ecrivez creez? generez? configurez? activez? desactivez? convertis convertissez migrez? appliquez?
  annulez? retablis retablissez restaurez? ajustez? adaptez? ameliorez? optimisez? formatez? integrez? installez? resous
  resolvez documentez? fais faites`)})\\b`;
const PLEASE = "(?:s'il (?:te|vous) plait|stp|svp)";
const BETWEEN = `(?:(?:${PLEASE}|aussi|maintenant|juste|simplement|donc|alors|me|nous|le|la|les|y|en|d'abord|essayer de|m'aider a|nous aider a),? |[lm]'(?!aider))*`;
const POLITE = `(?:(?:${PLEASE}|alors|donc|puis|ensuite|et|maintenant|ok|merci|sinon|si (?:oui|non|possible|c'est le cas)),? )`;

/** Orders to look and to tell, which an order to change something may follow. */
const LOOK = 'expliquez?|decri\\w+|montrez?|analyse[sz]?|compare[sz]?|(?:trouve|cherche)z?|verifiez?';

export const french: AskingLanguage = {
  tells:
    /^(?:qu'|que\b|quoi\b|pourquoi\b|comment\b|ou\b|quand\b|qui\b|quel(?:le)?s?\b|combien\b|expli\w+|decri\w+|analyse[sz]?\b|compare[sz]?\b|(?:trouve|cherche)z? pourquoi|verifiez? (?:si|que)|montre\w*|liste\b|listez\b|resume\w*|(?:dis|dites)-(?:moi|nous)|est-ce\b|y a-t-il|a quoi\b|de quoi\b|dois-je|doit-on|faut-il|puis-je)/i,
  requests: [
    new RegExp(
      `(?<!\\b(?:comment|pourquoi|(?<!est-ce )que|ou|quand))(?:^|[\\s,])${anyOf(
        '(?:peux|pourrais|veux|voudrais)-tu|(?:pouvez|pourriez|voulez|voudriez)-vous|(?:peut|pourrait)-on',
        '(?:tu|vous|on) (?:peux|pouvez|pourrais|pourriez|peut|pourrait)|merci(?: de)?|veuillez|priere(?: de)?|il faudrait|(?:est|serait)-il possible(?: de)?',
        '(?:tu|vous|ca te|ca vous) (?:derange\\w*|ennuie\\w*)(?: de)?',
      )}(?:,? | d')${BETWEEN}${CHANGE}`,
      'i',
    ),
    // "Peux-tu trouver la cause et corriger le parseur ?"
    new RegExp(
      `(?:(?:peux|pourrais)-tu|(?:pouvez|pourriez)-vous) (?:(?!(?:comment|expliquer|m'expliquer|montrer|dire|si)\\b)[^\\s.?!]+ ){1,15}?et (?:puis |ensuite )?(?:[lm]'|les? |la )?${CHANGE}`,
      'i',
    ),
  ],
  orders: [
    new RegExp(`^${POLITE}*${ORDER}`, 'i'),
    new RegExp(
      `[,;:–—] ${POLITE}*${ORDER}(?=-| (?:le|la|les|l'|ce|cette|ces|ca|cela|tout|un|une|des|§)\\b| §)`,
      'i',
    ),
    new RegExp(`\\bet (?:puis |ensuite )?${ORDER}(?=-(?:le|la|les|moi)\\b)`, 'i'),
    new RegExp(
      `^(?:${LOOK})\\b(?:(?!\\b(?:qui|que|comment|ou|on|je|il|elle)\\b).)*? et (?:puis |ensuite )?${ORDER}(?= (?:le|la|les|l'|tout|§)| §)`,
      'i',
    ),
  ],
  asksHow: /\bcomment\b|\b(?:je|on|puis-je|dois-je|faut-il)\b/i,
};
