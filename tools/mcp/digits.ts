import { mapBigints, parseExactly } from '../../shared/agent/plain/digits.ts';

/** JSON that is serialized as it is: ECMAScript's `JSON.rawJSON`, in Node from 21. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (json: string) => unknown };

/** Arguments in which each integer keeps all of its digits. */
export const withDigits = (input: unknown): unknown =>
  mapBigints(input, (integer) => rawJSON(String(integer)));

/**
 * A server's message, in whose result integers too large for a number become text with their digits. Requests and tool
 * lists stay as they came: a schema in one may have such an integer as its bound.
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

/** Lines of an event stream, each message converted by {@link messageWithDigits}. A line is passed on when it is complete. */
export function eventsWithDigits(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  // Pieces of an unfinished line: a long one is joined once.
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
