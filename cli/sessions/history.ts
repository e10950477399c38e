import { readFile } from 'node:fs/promises';
import { printable } from '../../local/printable.ts';
import { type HistoryFormat, historyFormats } from '../../shared/contract/history.ts';
import type { HttpClient, Imported } from '../../web/client/index.ts';
import { WrongUsage } from '../ends.ts';

/** The options on the command line. */
export interface HistoryOptions {
  readonly agent?: string | undefined;
  readonly format?: string | undefined;
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  /** The request's Idempotency-Key. */
  readonly key?: string | undefined;
}

/** A conversation in a file. */
export interface History {
  readonly format: HistoryFormat;
  readonly messages: unknown[];
}

/** The named format. Throws {@link WrongUsage} for an unknown one. */
export function formatOf(name: string): HistoryFormat {
  const format = historyFormats.find((known) => known === name);
  if (!format)
    throw new WrongUsage(`There is no format ${printable(name)}. There are: ${historyFormats.join(', ')}.`);
  return format;
}

/**
 * The conversation in a text: a list of messages, or an object with `messages`, as in requests. Its format is detected by
 * features that only one format has; if a conversation has only plain texts, the formats agree.
 *
 * Throws {@link WrongUsage} if there is no conversation, or if its format is ambiguous.
 */
export function historyIn(text: string, named: string | undefined): History {
  const value = parsed(text);
  const list: unknown = Array.isArray(value) ? value : isRecord(value) ? value.messages : undefined;
  if (!Array.isArray(list) || list.length === 0)
    throw new WrongUsage(
      'The file has no messages: it must be a JSON list of them, or an object with "messages".',
    );
  if (named !== undefined) return { format: formatOf(named), messages: list };
  const signs = new Set(list.flatMap(signsOf));
  if (isRecord(value) && !Array.isArray(value) && 'system' in value) signs.add('anthropic');
  const [format = 'openai', ...others] = signs;
  if (others.length > 0)
    throw new WrongUsage(
      `The format of these messages is ambiguous. Set --format: ${historyFormats.join(', ')}.`,
    );
  return { format, messages: list };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WrongUsage('The file is not JSON.');
  }
}

const ofAnthropic = ['tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'image', 'document'];
const ofOpenai = ['image_url', 'file', 'refusal', 'input_audio'];

/** The formats that a message shows features of. */
function signsOf(message: unknown): HistoryFormat[] {
  if (!isRecord(message)) return [];
  const { role, parts, content } = message;
  const types = (Array.isArray(content) ? content : []).map((part) =>
    isRecord(part) ? part.type : undefined,
  );
  const isOpenai =
    role === 'tool' ||
    role === 'developer' ||
    Array.isArray(message.tool_calls) ||
    types.some(isIn(ofOpenai));
  return [
    ...(Array.isArray(parts) ? (['ai-sdk'] as const) : []),
    ...(isOpenai ? (['openai'] as const) : []),
    ...(types.some(isIn(ofAnthropic)) ? (['anthropic'] as const) : []),
  ];
}

const isIn = (types: readonly string[]) => (type: unknown) => types.includes(String(type));

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Imports a file, and prints the result. */
export async function importFile(
  client: Pick<HttpClient, 'importSession'>,
  file: string,
  { agent, format, title, message, key }: HistoryOptions,
): Promise<Imported> {
  if (!agent) throw new WrongUsage('Name the agent that continues the conversation: --agent NAME.');
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new WrongUsage(`${file} cannot be read: ${error.message}`);
  });
  const history = historyIn(text, format);
  return client.importSession(
    { agent, history, ...(title && { title }), ...(message && { message }) },
    key === undefined ? {} : { idempotencyKey: key },
  );
}

/** The lines about an import on standard error. */
export function toldOf({ leftOut, duplicate, slots }: Imported): string[] {
  const { system, thinking, links, parts } = leftOut;
  const left = [
    system > 0 && `${system} of the system: the agent has its own prompt`,
    thinking > 0 && `${thinking} with thinking, which is not imported`,
    links > 0 && `${links} images or files that were named by a URL or an id`,
    parts > 0 && `${parts} parts that models do not read`,
  ].filter((line) => line !== false);
  return [
    `${slots} turns${duplicate ? ', imported before' : ''}`,
    ...left.map((line) => `left out: ${line}`),
  ];
}
