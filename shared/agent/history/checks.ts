import type * as z from 'zod';
import type { LeftOut } from '../../contract/history.ts';
import { parseExactly } from '../plain/digits.ts';
import { isRecord } from '../plain/merge.ts';
import { type Call, HistoryFault, type Media } from './turns.ts';

/** Counts the parts that are left out while a conversation is read. */
export type Counted = { -readonly [Name in keyof LeftOut]: LeftOut[Name] };

export const nothingLeftOut = (): Counted => ({ system: 0, thinking: 0, links: 0, parts: 0 });

/** Checks that a message has the required shape. Throws {@link HistoryFault}. */
export function shaped<Schema extends z.ZodType>(
  schema: Schema,
  message: unknown,
  at: number,
): z.output<Schema> {
  const parsed = schema.safeParse(message);
  if (parsed.success) return parsed.data;
  const { place, message: what } = deepest(parsed.error.issues, '');
  throw new HistoryFault(at, `${place ? `${place}: ` : ''}${what}`);
}

interface Wrong {
  /** Empty for the message itself. */
  readonly place: string;
  readonly message: string;
}

/** The fault, as far inside as it can be located: if a part may have several shapes, in the one that matched furthest. */
function deepest(issues: readonly z.core.$ZodIssue[], within: string): Wrong {
  const [issue] = issues;
  const place = [...(within === '' ? [] : [within]), ...(issue?.path ?? [])].join('.');
  if (issue?.code === 'invalid_union' && issue.errors.length > 0)
    return issue.errors
      .map((branch) => deepest(branch, place))
      .reduce((best, one) => (one.place.length > best.place.length ? one : best));
  return { place, message: issue?.message ?? 'does not match the format' };
}

/** The error text for a message or part of an unknown kind. */
export const oneOf =
  (known: string) =>
  ({ code }: { readonly code?: string }): string | undefined =>
    code === 'invalid_union' ? `must be ${known}` : undefined;

/** Names of tools that all model servers accept. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A call whose name servers accept, with an object as its input. Throws {@link HistoryFault}. */
export function callIn({ id, name, input }: Call, at: number): Call {
  if (!NAME.test(name))
    throw new HistoryFault(
      at,
      `the tool ${shown(name)} has a name that model servers refuse. Use at most 64 letters, digits, _ and -.`,
    );
  if (!isRecord(input))
    throw new HistoryFault(at, `the arguments of the call ${shown(id)} must be a JSON object.`);
  return { id, name, input };
}

/** The arguments of a call that are stored as JSON text. For a tool without arguments, servers may send an empty text. */
export function parsedArguments(text: string, id: string, at: number): unknown {
  if (text.trim() === '') return {};
  try {
    return parseExactly(text);
  } catch {
    throw new HistoryFault(at, `the arguments of the call ${shown(id)} are not JSON. Send a JSON object.`);
  }
}

/** A text from outside, quoted so that it can be part of a sentence. */
export const shown = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text);

/** Longest URL that a text may contain, in characters. */
const MAX_URL = 500;

/** Text in the place of something that is stored elsewhere and is not fetched. */
export const linked = (what: string, where: string): string =>
  `[${what}, not imported: ${where.length > MAX_URL ? `${where.slice(0, MAX_URL).toWellFormed()}…` : where}]`;

/** The bytes in a `data:` URL; undefined for any other. */
export function inDataUrl(url: string, name: string, at: number): Media | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const [, mediaType = '', base64 = ''] = /^data:([^,;]*)(?:;[^,;]*)*;base64,(.*)$/is.exec(url) ?? [];
  if (base64 === '') throw new HistoryFault(at, `the data: URL of ${shown(name)} is not in base64.`);
  return { base64, name, as: asOf(mediaType) };
}

/** How a model sees a medium. Its bytes are inspected before it is stored. */
export const asOf = (mediaType: string): Media['as'] => (/^image\//i.test(mediaType) ? 'image' : 'document');
