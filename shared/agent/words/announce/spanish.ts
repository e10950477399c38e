import { anyOf, ifThere, type Language, wordsOf } from './language.ts';

/** Infinitives of saying, being, judging and waiting. After "voy a", all others are deeds. */
const NO_DEEDS = wordsOf(`
  ser estar esperar decir explicar aclarar responder resumir reformular dar mostrar recordar añadir_que hablar suponer
  creer pensar proponer aconsejar recomendar saber terminar concluir subrayar citar tomar dejar parar seguir siempre
  ayudar ir tener adivinar describir ilustrar empezar_por_(?:un|el|la) poner_(?:un|fin) poner hacer contar quedar volver
  necesitar poder querer deber intentar evitar mantener aceptar confesar insistir avisar tratar considerar echar_de`);

/** Futures of the same. */
const NO_FUTURE = wordsOf(`
  ser estar esperar dir explicar aclarar responder resumir reformular dar mostrar recordar hablar supondr creer pensar
  propondr aconsejar recomendar sabr terminar concluir subrayar citar tomar dejar parar seguir ayudar ir tendr adivinar
  describir ilustrar pondr har contar quedar necesitar podr querr deber intentar evitar mantendr aceptar avisar tratar
  considerar encantar alegrar`);
const FUTURE = `(?:volveré a \\w+r|(?!${NO_FUTURE}é)[\\wáéíóúñ]+ré)`;
const DO = wordsOf(`
  reviso compruebo verifico consulto leo abro ejecuto lanzo busco miro examino corrijo modifico cambio creo_(?:un|el|la|los|las)\\b agrego
  añado divido quito despliego sustituyo reemplazo genero compilo aplico configuro envío elimino borro pruebo analizo inspecciono ajusto escribo instalo comparo reinicio descargo envío actualizo
  investigo`);

const NOW = 'ahora(?: mismo)?|primero|a continuación|enseguida|inmediatamente|de inmediato';
const CLAUSE = `(?:^|[,;:–—] |\\basí que )(?:(?:y|bien|bueno|vale|claro|perfecto|gracias|entonces|luego|después|un momento|un momento,? por favor|${NOW})[,.!]? )*`;
const ADVERBS = `(?:(?:${NOW}|también|simplemente|rápidamente|a|empezar por|comenzar por|intentar|proceder a) )*`;
const OBJECT = '(?:(?:te |le |les |se )?(?:l[oa]s? )?)';
const END = '(?:[ts]e|me|le?s?)?(?:l[oa]s?)?(?![\\wáéíóúñ])';

const TO_DO = `(?!(?:${NO_DEEDS})${END})[\\wáéíóúñ]*[aeií]r${END}`;
const PAUSE = '(?:espere |deme |dame )?un (?:momento|segundo|instante)';

const DEED = new RegExp(
  anyOf(
    `${CLAUSE}${OBJECT}(?:voy a|d[ée]ja(?:d?me)|d[ée]jeme|perm[ií]t[ae]me) ${ADVERBS}(?:volver a |poner(?:l[oa]s?)? en |hacer(?:l[oa])? (?:un|una|el|la) |${TO_DO})`,
    `${CLAUSE}${OBJECT}${FUTURE}(?![\\wáéíóúñ])`,
    `${CLAUSE}${OBJECT}${DO}(?![\\wáéíóúñ])(?=.*(?:${NOW}))`,
    `(?:^|[,;:] )(?:${NOW}),? ${OBJECT}${DO}(?![\\wáéíóúñ])`,
    `(?:^|[,;:] )(?:ahora mismo|enseguida|de inmediato),? ${OBJECT}(?!(?:no|todo|s[oó]lo|creo|veo|entiendo|tengo|puedo|quiero|estoy|necesito|espero|digo)(?![\\wáéíóúñ]))[\\wáéíóúñ]+o(?![\\wáéíóúñ])`,
    `^${PAUSE}[^.!]*?[,:] (?:${OBJECT}${DO}|estoy [\\wáéíóúñ]+ndo)(?![\\wáéíóúñ])`,
    `${CLAUSE}(?:me (?:encargo|pongo (?:a|con) ello)|(?:ya )?l[oa]s? hago)(?=[.!…]*$| .*(?:${NOW}))`,
    `${CLAUSE}estoy [\\wáéíóúñ]+ndo(?=.*(?:${NOW}))`,
  ),
  'i',
);

export const spanish: Language = {
  deedIn: ifThere(`é|voy a|d[ée]j|perm[ií]t|${NOW}|un (?:momento|segundo|instante)|encargo|pongo|hago`, DEED),
  notAfter:
    /(?<![\wáéíóúñ])(?:dice|dijo|escribe|significa|responde|env[ií]e\w*|m[aá]nd\w*|ejemplo|traducción|faltan?|si|no)(?![\wáéíóúñ])/i,
  waits:
    /(?<![\wáéíóúñ])(?:si|cuando|en cuanto|una vez|hasta|tan pronto|después de que|solo|sólo|sin|no|nunca|nada|mañana|esta noche|más tarde|pronto|siempre|cada|de ahora en adelante|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)|en (?:\d+|un|una|dos|unos|unas)|esta semana|usted|ustedes)(?![\wáéíóúñ])/i,
  harmless:
    /(?<![\wáéíóúñ])(?:(?:ver|comprobar|revisar|verificar) si|para (?:usted|ti)|no solo)(?![\wáéíóúñ])/gi,
  asks: /(?<![\wáéíóúñ])(?:(?<!(?:momento|segundo|instante),? )por favor|d[ií]game|dime|env[ií]eme|env[ií]ame|m[aá]ndeme|m[aá]ndame|av[ií]same|av[ií]seme|su (?:confirmación|permiso|aprobación)|tu (?:confirmación|permiso|aprobación)|espero)(?![\wáéíóúñ])/i,
  goesOn: /^(?:y )?(?:luego|después|entonces)\b/i,
  pause:
    /^(?:un (?:momento|segundo)(?:,? por favor)?[.!…]*$|esto (?:puede|va|debería|tarda)|(?:espere|espera un)(?!.*, ))/i,
};
