import type * as z from 'zod';
import type { LeftOut } from '../../contract/history.ts';
import { parseExactly } from '../plain/digits.ts';
import { isRecord } from '../plain/merge.ts';
import { type Call, HistoryFault, type Media } from './turns.ts';

/** Counts what is left out while a conversation is read. */
export type Counted = { -readonly [Name in keyof LeftOut]: LeftOut[Name] };

export const nothingLeftOut = (): Counted => ({ system: 0, thinking: 0, links: 0, parts: 0 });

/** A message in the shape that it must have. Throws {@link HistoryFault}. */
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

/** What is wrong, as far inside as it can be said: of the shapes that a part may have, in the one that came furthest. */
function deepest(issues: readonly z.core.$ZodIssue[], within: string): Wrong {
  const [issue] = issues;
  const place = [...(within === '' ? [] : [within]), ...(issue?.path ?? [])].join('.');
  if (issue?.code === 'invalid_union' && issue.errors.length > 0)
    return issue.errors
      .map((branch) => deepest(branch, place))
      .reduce((best, one) => (one.place.length > best.place.length ? one : best));
  return { place, message: issue?.message ?? 'is not what the format says' };
}

/** What is said of a message or a part of a kind that there is not. */
export const oneOf =
  (known: string) =>
  ({ code }: { readonly code?: string }): string | undefined =>
    code === 'invalid_union' ? `must be ${known}` : undefined;

/** Names of tools that all servers of models take. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A call whose name servers take, with an object as its input. Throws {@link HistoryFault}. */
export function callIn({ id, name, input }: Call, at: number): Call {
  if (!NAME.test(name))
    throw new HistoryFault(
      at,
      `the tool ${shown(name)} has a name that servers of models refuse. A name has letters, digits, _ and -, at most 64.`,
    );
  if (!isRecord(input))
    throw new HistoryFault(at, `the arguments of the call ${shown(id)} must be a JSON object.`);
  return { id, name, input };
}

/** The arguments of a call that are kept as JSON text; of a tool without any, servers also send nothing. */
export function parsedArguments(text: string, id: string, at: number): unknown {
  if (text.trim() === '') return {};
  try {
    return parseExactly(text);
  } catch {
    throw new HistoryFault(at, `the arguments of the call ${shown(id)} are not JSON.`);
  }
}

/** A text from outside as it may stand in a sentence. */
export const shown = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text);

/** Longest URL that is told in a text, in characters. */
const MAX_URL = 500;

/** What stands in the place of something that lies elsewhere. Nobody fetches it. */
export const linked = (what: string, where: string): string =>
  `[${what}, not imported: ${where.length > MAX_URL ? `${where.slice(0, MAX_URL).toWellFormed()}…` : where}]`;

/** The bytes in a `data:` URL; undefined for any other. */
export function inDataUrl(url: string, name: string, at: number): Media | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const [, mediaType = '', base64 = ''] = /^data:([^,;]*)(?:;[^,;]*)*;base64,(.*)$/is.exec(url) ?? [];
  if (base64 === '') throw new HistoryFault(at, `the data: URL of ${shown(name)} is not in base64.`);
  return { base64, name, as: asOf(mediaType) };
}

/** What a model sees something as. Its bytes are looked into before it is kept. */
export const asOf = (mediaType: string): Media['as'] => (/^image\//i.test(mediaType) ? 'image' : 'document');
