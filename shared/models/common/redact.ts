import type { ModelRequest } from '../../agent/ports.ts';

/** What a failure's message is made from, or must not show. */
export interface Exchange {
  readonly request: ModelRequest;
  readonly keys: readonly string[];
  /** Epoch ms, for a `retry-after` that is a date. */
  readonly now: number;
}

/**
 * What may be shown of a server's error message: one short line without the key, and nothing at all when it
 * repeats what people wrote. Of most errors this keeps what one needs to mend the request.
 */
export function safeDetail(message: string, { request, keys }: Exchange): string {
  const line = message.replace(/\s+/g, ' ').trim();
  if (repeats(line.slice(0, 2_000), { system: request.system, messages: request.messages })) return '';
  const open = keys.reduce((text, key) => (key === '' ? text : text.replaceAll(key, '[key]')), line);
  return open.replace(/\b(sk-|bearer )[\w.-]{4,}/gi, '[key]').slice(0, 200);
}

/** Whether a run of the prompt's letters, or a whole text of it, is in the message. */
function repeats(message: string, prompt: unknown): boolean {
  const said = letters(message);
  const runs = Array.from({ length: Math.max(0, said.length - RUN + 1) }, (_, at) =>
    said.slice(at, at + RUN),
  );
  return textsOf(prompt).some((text) => {
    const written = letters(text);
    return (
      written.length >= SHORTEST && (said.includes(written) || runs.some((run) => written.includes(run)))
    );
  });
}

const RUN = 20;
const SHORTEST = 8;

/** Words of the API, and names that an error must be able to say. */
const NAMES: ReadonlySet<string> = new Set(['role', 'type', 'id', 'tool_use_id', 'name']);

function textsOf(value: unknown): readonly string[] {
  const texts: string[] = [];
  JSON.stringify(value, (key, inner) => {
    if (typeof inner === 'string' && !NAMES.has(key)) texts.push(inner);
    return inner;
  });
  return texts;
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
