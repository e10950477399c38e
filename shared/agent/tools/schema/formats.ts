/** Longest text whose format is checked, in characters. A longer one is accepted. */
const MAX_CHARS = 2_000;

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,20})?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const BYTE = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const URI = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]*$/i;

const isIpv4 = (text: string) => {
  const bytes = text.split('.');
  return bytes.length === 4 && bytes.every((byte) => BYTE.test(byte));
};
const isIpv6 = (text: string) => text.includes(':') && URL.canParse(`http://[${text}]`);
const isHostname = (text: string) =>
  text.length <= 253 && text.split('.').every((label) => LABEL.test(label));

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = DATE.exec(text) ?? [];
  if (year === '') return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

const isDateTime = (text: string) =>
  /^[t\s]$/i.test(text.charAt(10)) && isDate(text.slice(0, 10)) && TIME.test(text.slice(11));

/** One `@` with something on both sides, without blanks: servers differ in what else they accept. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && at < text.length - 1 && !/\s/.test(text);
}

/**
 * The formats that are checked (RFC 3339, RFC 4122, RFC 3986 and so on). None of their expressions nests repetitions, so all take
 * linear time. Any other format is only an annotation, as draft 2020-12 says of all formats.
 */
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['time', (text) => TIME.test(text)],
  ['date-time', isDateTime],
  ['uuid', (text) => UUID.test(text)],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['hostname', isHostname],
  ['uri', (text) => URI.test(text)],
  ['email', isEmail],
]);

/** Whether a text has a format, as far as that is checked. */
export const hasFormat = (format: string, text: string): boolean =>
  text.length > MAX_CHARS || (formats.get(format)?.(text) ?? true);
