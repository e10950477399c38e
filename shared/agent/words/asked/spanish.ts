import { anyOf, wordsOf } from '../announce/language.ts';
import type { AskingLanguage } from './language.ts';

/** Infinitives of verbs that change things, without accents. */
const CHANGE = `(?:${wordsOf(`
  corregir arreglar reparar cambiar modificar editar actualizar anadir agregar insertar eliminar borrar quitar reemplazar
  sustituir renombrar refactorizar reescribir simplificar limpiar mover extraer fusionar implementar escribir crear generar
  configurar activar desactivar convertir migrar aplicar revertir deshacer restaurar ajustar adaptar mejorar optimizar
  formatear integrar instalar extender resolver documentar hacer(?:lo|_eso|_lo_mismo) poner terminar`)})(?:l[aeo]s?|me)?\\b`;
/** The same as orders, with `lo` and the like at their end. */
const ORDER = `(?:${wordsOf(`
  corri[gj][ea] arregl[ae] repar[ae] cambi[ae] modifi(?:ca|que) edit[ae] actuali(?:za|ce) anad[ae] agreg(?:a|ue) insert[ae]
  elimin[ae] borr[ae] quit[ae] quite reempla(?:za|ce) sustitu(?:ye|ya) renombr[ae] refactori(?:za|ce) reescrib[ae]
  simplifi(?:ca|que) limpi[ae] muev[ae] extra(?:e|iga) fusion[ae] implement[ae] escrib[ae] cre[ae] gener[ae] configur[ae]
  activ[ae] desactiv[ae] conviert[ae] migr[ae] apli(?:ca|que) reviert[ae] deshaz restaur[ae] ajust[ae] adapt[ae] mejor[ae]
  optimi(?:za|ce) formate[ae] integr[ae] instal[ae] extiend[ae] resuelv[ae] document[ae] haz haga pon ponga`)})(?:l[aeo]s?|me)?\\b`;
const BETWEEN =
  '(?:(?:por favor|tambien|ahora|ya|simplemente|usted|entonces|intentar|ayudarme a|ayudarnos a|me|nos|l[ao]s?),? )*';
const POLITE =
  '(?:(?:por favor|entonces|luego|despues|y|ahora|ok|vale|gracias|si (?:es asi|no|es posible)),? )';

/** Orders to look and to tell, which an order to change something may follow. */
const LOOK =
  'expli(?:ca|que)|describ[ea]|muestr[ae]|analiz\\w+|compar[ae]|averigu\\w+|revis[ae]|comprueb\\w+';

export const spanish: AskingLanguage = {
  tells:
    /^¿?(?:que|por que|como|cual(?:es)?|donde|cuando|quien(?:es)?|cuant[oa]s?|para que|expli(?:ca|que)\w*|describ[ea]\w*|analiz\w+|compar[ae]|averigu\w+|revis[ae]|comprueb\w+ (?:si|que)|muestr[ae]\w*|enumera|lista|resume|dime|diga(?:me|nos)|hay|es|son|esta|existe|debo|debemos|deberia(?:mos)?)\b/i,
  requests: [
    new RegExp(
      `(?<!\\b(?:que|como|donde|cuando|cual|quien))(?:^|[\\s,¿¡])${anyOf(
        '(?:(?:me|nos|l[ao]s?) )?(?:puedes|podrias|puede|podria|pueden|podrian|podemos|quieres|querrias)',
        '(?:te|le) importaria|(?:es|seria) posible|por favor|favor de|hay que|habria que',
      )},? ${BETWEEN}${CHANGE}`,
      'i',
    ),
    // "¿Puedes buscar la causa y corregir el parser?"
    new RegExp(
      `(?:puedes|podrias|puede|podria) (?:(?!(?:como|explicar\\w*|mostrar\\w*|decir\\w*|si)\\b)[^\\s.?!]+ ){1,15}?y (?:luego |despues )?${CHANGE}`,
      'i',
    ),
    new RegExp(`\\bpor favor,? ${ORDER}`, 'i'),
  ],
  orders: [
    new RegExp(`^[¡¿]?${POLITE}*${ORDER}(?!\\?+$)`, 'i'),
    new RegExp(
      `[,;:–—] ${POLITE}*${ORDER}(?=[.!?]*$| (?:el|la|los|las|lo|este|esta|estos|estas|eso|esto|todo|un|una|§)\\b| §)`,
      'i',
    ),
    new RegExp(`\\by (?:luego |despues )?${ORDER.replace('(?:l[aeo]s?|me)?', '(?:l[aeo]s?)')}`, 'i'),
    new RegExp(
      `^(?:${LOOK})\\b(?:(?!\\b(?:que|como|donde|quien)\\b).)*? y (?:luego |despues )?${ORDER}(?= (?:el|la|los|las|todo|§)\\b| §)`,
      'i',
    ),
  ],
  asksHow: /\bcomo\b|\b(?:puedo|podemos|debo|debemos|hago|se puede|si (?:borro|cambio|quito))\b/i,
};
