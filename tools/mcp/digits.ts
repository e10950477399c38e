import { mapBigints, parseExactly } from '../../shared/agent/plain/digits.ts';

/** JSON that stands for itself when it is written out: ECMAScript's `JSON.rawJSON`, in Node from 21. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (json: string) => unknown };

/** Arguments of which each integer is written with its own digits. */
export const withDigits = (input: unknown): unknown =>
  mapBigints(input, (integer) => rawJSON(String(integer)));

/**
 * A message of a server, whose result has integers that no number holds as text of their digits. Requests and lists of tools stay as they came: a schema
 * in one may have such an integer as its bound.
 */
export function messageWithDigits(text: string): string {
  if (!MAY_BE_LARGE.test(text)) return text;
  try {
    const message: unknown = parseExactly(text);
    const { result } = message as { readonly result?: object };
    return result === undefined || 'tools' in result ? text : JSON.stringify({ ...JSON.parse(text), result });
  } catch {
    return text;
  }
}

const MAY_BE_LARGE = /\d{16}/;

/** Lines of a stream of events, each message of it as {@link messageWithDigits} has it. A line is told when it is whole. */
export function eventsWithDigits(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  // Pieces of a line that has not ended: a long one is joined once.
  let open: string[] = [];
  return new TransformStream({
    transform(chunk, next) {
      const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
      open.push(first);
      for (const begun of more) {
        next.enqueue(encoder.encode(`${lineWithDigits(open.join(''))}\n`));
        open = [begun];
      }
    },
    flush(next) {
      const last = open.join('') + decoder.decode();
      if (last !== '') next.enqueue(encoder.encode(lineWithDigits(last)));
    },
  });
}

const lineWithDigits = (line: string): string =>
  line.startsWith('data:') ? `data: ${messageWithDigits(line.slice(5).trim())}` : line;
