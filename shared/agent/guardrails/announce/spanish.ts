import { anyOf, deedBy, type Language, wordsOf } from './language.ts';

const TO_DO = wordsOf(`
  revisar comprobar verificar consultar leer releer abrir ejecutar lanzar buscar mirar examinar corregir modificar
  cambiar crear agregar añadir eliminar borrar probar analizar inspeccionar ajustar escribir reescribir instalar
  obtener encontrar comparar reiniciar desplegar cargar descargar enviar reservar cancelar reembolsar reemplazar
  sustituir renombrar mover copiar guardar generar compilar construir llamar explorar medir validar aplicar
  implementar configurar restaurar fusionar publicar listar extraer reparar arreglar actualizar investigar procesar
  subir`);

const NO_DEEDS = wordsOf(`
  ser estar esperar decir explicar aclarar responder resumir reformular dar mostrar recordar añadir_que hablar suponer
  creer pensar proponer aconsejar recomendar saber terminar concluir subrayar citar tomar dejar parar seguir siempre
  ayudar ir tener adivinar describir ilustrar empezar_por_(?:un|el|la) ponerlo hacer`);

const FUTURE = `(?:revisar|comprobar|verificar|consultar|leer|abrir|ejecutar|lanzar|buscar|examinar|corregir|modificar|cambiar|crear|agregar|añadir|eliminar|borrar|probar|analizar|inspeccionar|ajustar|escribir|instalar|comparar|reiniciar|descargar|enviar|reservar|cancelar|reemplazar|renombrar|mover|generar|compilar|aplicar|configurar|actualizar|investigar)é`;
const DO = wordsOf(`
  reviso compruebo verifico consulto leo abro ejecuto lanzo busco miro examino corrijo modifico cambio creo agrego
  añado elimino borro pruebo analizo inspecciono ajusto escribo instalo comparo reinicio descargo envío actualizo
  investigo`);

const NOW = 'ahora(?: mismo)?|primero|a continuación|enseguida|inmediatamente|de inmediato';
const CLAUSE = `(?:^|[,;:–—] |\\basí que )(?:(?:y|bien|bueno|vale|claro|perfecto|gracias|entonces|luego|después|un momento|${NOW})[,.!]? )*`;
const ADVERBS = `(?:(?:${NOW}|también|simplemente|rápidamente|a|empezar por|comenzar por|intentar|proceder a) )*`;
const OBJECT = '(?:l[oa]s? )?';
const END = '(?:l[oa]s?)?(?![\\wáéíóúñ])';

const DEED = new RegExp(
  anyOf(
    `${CLAUSE}${OBJECT}voy a ${ADVERBS}${TO_DO}${END}`,
    `${CLAUSE}(?:d[ée]ja(?:d?me)?|d[ée]jeme|perm[ií]t[ae]me|permíteme) ${ADVERBS}${TO_DO}${END}`,
    `${CLAUSE}(?:d[ée]ja(?:d?me)?|d[ée]jeme|perm[ií]t[ae]me|voy a(?=.*(?:${NOW}))) ${ADVERBS}(?!${NO_DEEDS}(?:l[oa]s?|l[ea]s?|te|me)?(?![\\wáéíóúñ]))[\\wáéíóúñ]+[aei]r${END}`,
    `${CLAUSE}${OBJECT}${FUTURE}(?![\\wáéíóúñ])`,
    `${CLAUSE}${OBJECT}${DO}(?![\\wáéíóúñ])(?=.*(?:${NOW}))`,
    `(?:^|[,;:] )(?:${NOW}),? ${OBJECT}${DO}(?![\\wáéíóúñ])`,
    `^un (?:momento|segundo)[^.!]*?[,:] ${OBJECT}${DO}(?![\\wáéíóúñ])`,
  ),
  'i',
);

export const spanish: Language = {
  deedIn: (sentence) => deedBy(DEED, sentence),
  notAfter:
    /(?<![\wáéíóúñ])(?:dice|dijo|escribe|significa|responde|env[ií]e\w*|m[aá]nd\w*|ejemplo|traducción|si|no)(?![\wáéíóúñ])/i,
  waits:
    /(?<![\wáéíóúñ])(?:si|cuando|en cuanto|una vez|hasta|tan pronto|después de que|solo|sólo|sin|no|nunca|nada|mañana|esta noche|más tarde|pronto|siempre|cada|de ahora en adelante|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)|en (?:\d+|un|una|dos|unos|unas)|esta semana|te|os|usted|ustedes)(?![\wáéíóúñ])/i,
  harmless:
    /(?<![\wáéíóúñ])(?:(?:ver|comprobar|revisar|verificar) si|para (?:usted|ti)|no solo)(?![\wáéíóúñ])/gi,
  asks: /(?<![\wáéíóúñ])(?:por favor|d[ií]game|dime|env[ií]eme|env[ií]ame|m[aá]ndeme|m[aá]ndame|av[ií]same|av[ií]seme|su (?:confirmación|permiso|aprobación)|tu (?:confirmación|permiso|aprobación)|espero)(?![\wáéíóúñ])/i,
  goesOn: /^(?:y )?(?:luego|después|entonces)\b/i,
  pause:
    /^(?:un (?:momento|segundo)(?:,? por favor)?[.!…]*$|esto (?:puede|va|debería|tarda)|espere|espera un)/i,
};
