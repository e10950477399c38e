import { ACCOUNT } from '../identity.ts';

/** The parts of a request that are in its event. */
export interface HttpRequestParts {
  apiId: string;
  stage: string;
  routeKey: string;
  pathParameters: Record<string, string>;
  method: string;
  /** Path and query, as on the request line. */
  url: string;
  httpVersion: string;
  /** Name, value, name, value, … as Node's rawHeaders. */
  rawHeaders: string[];
  body: Buffer;
  requestId: string;
  sourceIp: string;
  now: Date;
}

/** The event of payload format 2.0, the only one that HTTP APIs made by CDK use. */
export function toHttpEvent(parts: HttpRequestParts): object {
  const { cookies, ...headers } = collectHeaders(parts.rawHeaders);
  const [rawPath = '/', rawQueryString = ''] = splitOnce(parts.url, '?');
  const query = joinDuplicates([...new URLSearchParams(rawQueryString)]);
  return {
    version: '2.0',
    routeKey: parts.routeKey,
    rawPath,
    rawQueryString,
    ...(cookies === undefined ? {} : { cookies: cookies.split(/; */) }),
    headers,
    ...(Object.keys(query).length === 0 ? {} : { queryStringParameters: query }),
    requestContext: {
      accountId: ACCOUNT,
      apiId: parts.apiId,
      domainName: headers.host ?? 'localhost',
      domainPrefix: parts.apiId,
      http: {
        method: parts.method,
        path: rawPath,
        protocol: `HTTP/${parts.httpVersion}`,
        sourceIp: parts.sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: parts.requestId,
      routeKey: parts.routeKey,
      stage: parts.stage,
      time: clfTime(parts.now),
      timeEpoch: parts.now.getTime(),
    },
    ...(Object.keys(parts.pathParameters).length === 0 ? {} : { pathParameters: parts.pathParameters }),
    ...bodyFields(parts.body, headers['content-type'] ?? ''),
  };
}

/**
 * Text types are passed unchanged; everything else is base64, including form posts (such as Slack's slash commands). The list is
 * what users of HTTP APIs report; AWS documents none.
 */
function bodyFields(body: Buffer, contentType: string): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const isText = type.startsWith('text/') || /^application\/((.+\+)?json|javascript|(.+\+)?xml)$/.test(type);
  return isText
    ? { body: body.toString('utf8'), isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true };
}

/** Lower-cased and joined by commas. Cookies are separate, because format 2.0 has a field of its own for them. */
function collectHeaders(raw: string[]): Record<string, string> & { cookies?: string } {
  const pairs = raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? '']] : [],
  );
  const cookies = pairs.filter(([name]) => name === 'cookie').map(([, value]) => value);
  const headers = joinDuplicates(pairs.filter(([name]) => name !== 'cookie' && name !== 'cookies'));
  return cookies.length === 0 ? headers : { ...headers, cookies: cookies.join('; ') };
}

function joinDuplicates(pairs: [string, string][]): Record<string, string> {
  // A Map, because a name may be `constructor` or `__proto__`.
  const joined = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(joined);
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** 12/Mar/2020:19:03:58 +0000 */
function clfTime(now: Date): string {
  const [date = '', time = ''] = now.toISOString().split('T');
  const [year, month, day] = date.split('-');
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
}
