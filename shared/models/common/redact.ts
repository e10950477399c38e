import { defined } from '../../agent/plain/defined.ts';
import { withoutSecrets } from '../../agent/plain/redact.ts';
import type { ModelRequest } from '../../agent/ports/provider.ts';
import type { Reply } from '../../agent/session/reply.ts';

/** The request and keys of a failure: its message may show neither. */
export interface Exchange {
  readonly request: ModelRequest;
  readonly keys: readonly string[];
  /** Epoch ms, for a `retry-after` that is a date. */
  readonly now: number;
}

/**
 * The part of a server's error message that may be shown: one short line without the key, and nothing at all if it
 * repeats what people wrote. For most errors this keeps what is needed to fix the request.
 */
export function safeDetail(message: string, { request, keys }: Exchange): string {
  const line = message.replace(/\s+/g, ' ').trim();
  if (repeats(line.slice(0, 2_000), { system: request.system, messages: request.messages })) return '';
  return withoutSecrets(line, keys).slice(0, 200);
}

/** The server's code, or `http_<status>` if the code contains a key or what people wrote. */
export const safeCode = (code: string, status: number, exchange: Exchange): string =>
  safeDetail(code, exchange) === code ? code : `http_${status}`;

/** Names of models, including those of routers and clouds. */
const NAME = /^[\w.:/@+-]{1,200}$/;

/**
 * Makes the server's model name and stop reason safe to save, show and count. The requested model name replaces one
 * that is not a valid name, or that contains a key or what people wrote. The words of a refusal are the model's own, so
 * only keys are removed from them.
 */
export function safeReply(reply: Reply, exchange: Exchange): Reply {
  const { stop, stopDetail } = reply;
  const model = safeModel(reply.model, exchange);
  const detail = stopDetail === undefined ? undefined : safeStop(stop, stopDetail, exchange);
  if (model === reply.model && detail === stopDetail) return reply;
  return { ...reply, model, ...defined({ stopDetail: detail }) };
}

function safeModel(model: string, exchange: Exchange): string {
  const asked = exchange.request.model;
  if (model === asked || !NAME.test(model) || withoutSecrets(model, exchange.keys) !== model) return asked;
  // A dated or routed name of the same model cannot quote the prompt, so the prompt need not be searched for it.
  if (model.includes(asked) || asked.includes(model)) return model;
  return safeDetail(model, exchange) === model ? model : asked;
}

function safeStop(stop: Reply['stop'], detail: string, exchange: Exchange): string {
  if (stop === 'refusal') return withoutSecrets(detail, exchange.keys).slice(0, REFUSAL_CHARS);
  return stop === 'unknown' ? safeDetail(detail, exchange) : detail;
}

/** Most characters of a refusal that people see. */
const REFUSAL_CHARS = 1_000;

/** Whether the message contains a run of the prompt's letters, or a whole text of it. */
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

/** Keys whose values an error must be able to name. */
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
