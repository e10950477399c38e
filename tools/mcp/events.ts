/** Reads the message in the data of an event. Undefined if it is no message: then the event is passed on as it came. */
export type Convert = (data: string) => object | undefined;

/** The end of a stream. */
export interface Ended {
  /** An event with an id: the client resumes after it. */
  readonly isResumable: boolean;
  /** Why it broke; undefined if it was closed. */
  readonly broken?: unknown;
}

/**
 * Server-sent events with their messages converted, in lines that end as the client expects them: it takes a message
 * only from an event without a name, or with the name `message`, that a blank line ends. Comments are left out.
 *
 * @param ended called once, before the stream ends
 */
export function eventsWith(
  body: ReadableStream<Uint8Array>,
  convert: Convert,
  ended: (how: Ended) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  async function* events() {
    let isResumable = false;
    let event = emptyEvent();
    const finished = (): Uint8Array => {
      const text = textOf(event, convert);
      event = emptyEvent();
      return encoder.encode(text);
    };
    try {
      for await (const line of linesOf(body)) {
        if (line === '') yield finished();
        else if (/^data(?::|$)/.test(line)) event.data.push(line.slice(5).replace(/^ /, ''));
        else if (!line.startsWith(':')) event.fields.push(line);
        isResumable ||= /^id: ?./.test(line);
      }
      // Some servers close without the blank line: an event counts if its message is whole.
      if (convert(event.data.join('\n')) !== undefined) yield finished();
    } catch (broken) {
      ended({ isResumable, broken });
      throw broken;
    }
    ended({ isResumable });
  }
  const all = events();
  return new ReadableStream<Uint8Array>({
    async pull(to) {
      const { value, done } = await all.next();
      if (done) to.close();
      else to.enqueue(value);
    },
    async cancel() {
      await all.return();
    },
  });
}

interface Event {
  readonly data: string[];
  readonly fields: string[];
}
const emptyEvent = (): Event => ({ data: [], fields: [] });

function textOf({ data, fields }: Event, convert: Convert): string {
  const message = data.length > 0 ? convert(data.join('\n')) : undefined;
  const lines = message
    ? [...fields.filter((line) => !line.startsWith('event')), `data: ${JSON.stringify(message)}`]
    : [...fields, ...data.map((line) => `data: ${line}`)];
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}

/** The lines of a body, which may end with LF, CR LF or CR. The pieces of a long one are joined once. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let open: string[] = [];
  let afterCr = false;
  for await (const packet of body) {
    const decoded = decoder.decode(packet, { stream: true });
    if (decoded === '') continue;
    const text = afterCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    afterCr = decoded.endsWith('\r');
    const [first = '', ...more] = text.split(/\r\n|\r|\n/);
    open.push(first);
    for (const begun of more) {
      yield open.join('');
      open = [begun];
    }
  }
  const last = open.join('') + decoder.decode();
  if (last !== '') yield last;
}
