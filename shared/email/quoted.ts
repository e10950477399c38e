/**
 * Removes the quoted history of a reply. There is no standard for it: mail programs put a line before it in the language of the person.
 * The test table has their forms. A text is cut only where such a line stands, and never so that nothing is left.
 */

/** Lines that are looked at, and characters of one: the cost stays linear, whatever a mail contains. */
const MAX_LINES = 20_000;
const MAX_LINE = 400;
/** Lines over which a program may wrap the line before a quote. */
const WRAPPED = 3;

/** Ends of the line before a quote: "On Monday, Bob wrote:" in the languages of common mail programs. */
const WROTE =
  /(?:wrote|writes|said|schrieb|schreef|geschreven|a écrit|a ecrit|ha scritto|scrisse|escribió|escreveu|skrev|kirjoitti|napisał\(?a?\)?|napsal\(?a?\)?|napísal\(?a?\)?|írta|yazdı|написал\(?а?\)?|пишет|写道|寫道|のメール|さんは書きました|작성)\s*[:：]$/i;
/** The end of the line before a quote where the verb stands elsewhere, or nowhere: an address and a colon. */
const ADDRESSED = /<[^<>@\s]+@[^<>\s]+>\s*[:：]$/;
const RULE =
  /^(?:-{2,}\s*(?:original message|ursprüngliche nachricht|message d['’]origine|messaggio originale|mensaje original|mensagem original|oorspronkelijk bericht|opprinnelig melding|ursprungligt meddelande|oprindelig meddelelse|alkuperäinen viesti|исходное сообщение|元のメッセージ|原始邮件)\s*-{2,}|_{20,})$/i;
/** Fields of the block with which Outlook begins a quote. */
const FROM =
  /^\*?(?:from|von|de|da|van|fra|från|lähettäjä|od|feladó|gönderen|от|发件人|寄件者|差出人|보낸 사람)\s?[:：]\*?\s?\S/i;
const FIELD =
  /^\*?(?:sent|date|gesendet|datum|envoyé|date|inviato|data|enviado|enviada|el|verzonden|sendt|dato|skickat|lähetetty|wysłano|dátum|gönderildi|отправлено|дата|发送时间|日期|送信日時|to|an|à|a|para|aan|til|till|vastaanottaja|do|címzett|kime|кому|收件人|宛先|subject|betreff|objet|oggetto|asunto|assunto|onderwerp|emne|ämne|aihe|temat|tárgy|konu|тема|主题|件名)\s?[:：]/i;
const FORWARDED =
  /^-{2,}\s*(?:forwarded message|weitergeleitete nachricht|message transféré|messaggio inoltrato)|^begin forwarded message/i;

/** The text of a reply without the mails that it quotes. Answers between quoted lines keep what they answer. */
export function withoutQuoted(text: string): string {
  const all = text.replace(/\r\n?/g, '\n').split('\n');
  const lines = readIn(all);
  const found = quoteIn(lines);
  const own = found
    ? [...all.slice(0, found.from), ...(found.to ? all.slice(found.to) : [])].join('\n').trim()
    : '';
  return own === '' ? text.trim() : own;
}

/** Whether a text has a mail that is forwarded. */
export const isForwarded = (text: string): boolean =>
  readIn(text.split('\n')).some((line) => FORWARDED.test(line));

const readIn = (lines: readonly string[]): string[] =>
  lines.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LINE).trim());

/** The lines of a quote. Without an end, it is the rest of the mail. */
interface Quote {
  readonly from: number;
  readonly to?: number;
}

function quoteIn(lines: readonly string[]): Quote | undefined {
  for (const [at, line] of lines.entries()) {
    if (line === '') continue;
    // The text below is what the person sends, and not what they answer.
    if (FORWARDED.test(line)) return undefined;
    if (RULE.test(line) && FROM.test(nextLine(lines, at))) return { from: at };
    if (FROM.test(line) && lines.slice(at + 1, at + 5).filter((next) => FIELD.test(next)).length >= 2)
      return { from: at };
    const end = endOfAttribution(lines, at);
    if (end !== undefined) return quoteAfter(lines, at, end);
  }
  return undefined;
}

const nextLine = (lines: readonly string[], at: number): string =>
  lines.slice(at + 1, at + 4).find((line) => line !== '') ?? '';

/** The line after the one before a quote, if that begins here. It has a date: "as I wrote:" has none. */
function endOfAttribution(lines: readonly string[], at: number): number | undefined {
  if (lines[at]?.startsWith('>')) return undefined;
  for (let more = 1; more <= WRAPPED; more++) {
    const part = lines.slice(at, at + more);
    if (part.includes('')) return undefined;
    const joined = part.join(' ').replace(/\s+>/g, '>');
    const isDated = /\d{1,2}[:.h]\d{2}|\d{4}/.test(joined);
    if (isDated && (WROTE.test(joined) || ADDRESSED.test(joined))) return at + more;
  }
  return undefined;
}

/** The quote after its first line, up to its last line with `>`. Undefined if the person has answered between its lines. */
function quoteAfter(lines: readonly string[], from: number, start: number): Quote | undefined {
  const last = lines.findLastIndex((line, at) => at >= start && line.startsWith('>'));
  // Some programs do not mark the lines of a quote.
  if (last === -1) return { from };
  const isMixed = lines.slice(start, last).some((line) => line !== '' && !line.startsWith('>'));
  return isMixed ? undefined : { from, to: last + 1 };
}
