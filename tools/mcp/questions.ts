import type { ClientCapabilities } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { Form } from '../../shared/contract/form/fields.ts';
import { filledIn } from '../../shared/contract/form/filled-in.ts';
import { answerLine, linesOf } from '../../shared/contract/form/lines.ts';
import { plainText } from '../../shared/contract/plain-text.ts';
import { Told } from './failures.ts';
import type { McpServerOptions } from './options.ts';

/** The requests that a server may make during a call. */
export const capabilitiesOf = ({ elicitation = true, sampling }: McpServerOptions): ClientCapabilities => ({
  ...(elicitation && { elicitation: { form: {}, url: {} } }),
  ...(sampling === 'person' && { sampling: {} }),
});

const text = z.object({ type: z.literal('text'), text: z.string() });
const content = z.union([text, z.object({ type: z.string() })]);

/** A server's request, if a person can answer it. */
const Question = z.union([
  z.object({
    method: z.literal('elicitation/create'),
    params: z.object({ mode: z.literal('url'), message: z.string(), url: z.string() }),
  }),
  z.object({
    method: z.literal('elicitation/create'),
    params: z.object({ mode: z.literal('form').optional(), message: z.string(), requestedSchema: Form }),
  }),
  z.object({
    method: z.literal('sampling/createMessage'),
    params: z.object({
      systemPrompt: z.string().optional(),
      messages: z.array(z.object({ role: z.string(), content: z.union([content, z.array(content)]) })),
    }),
  }),
]);
export type Question = z.infer<typeof Question>;

/** Parses a server's request. Undefined if a person could not answer it. */
export const readQuestion = (asked: unknown): Question | undefined => {
  const read = Question.safeParse(asked);
  if (!read.success) return undefined;
  const { method, params } = read.data;
  return method === 'elicitation/create' && params.mode === 'url' && !isHttps(params.url)
    ? undefined
    : read.data;
};

const isHttps = (url: string): boolean => URL.parse(url)?.protocol === 'https:';

/** Most characters of a server's words in one question. */
const MAX_WORDS = 2_000;

/**
 * A question as a person reads it. The server's words are quoted, and a page to open is named but not opened.
 *
 * @param wrong what was wrong with the previous answer
 */
export function wordsOfQuestion(
  { method, params }: Question,
  {
    server,
    tool,
    wrong,
    begins,
  }: {
    readonly server: string;
    readonly tool: string;
    readonly wrong?: string | undefined;
    readonly begins: boolean;
  },
): string {
  const again = [
    ...(wrong === undefined ? [] : [`Your last answer could not be used: ${wrong}.`]),
    ...(begins ? ['The tool starts again with your answer.'] : []),
  ];
  const from = `The MCP server "${server}", in its tool ${plainText(tool, 100)},`;
  if (method === 'sampling/createMessage')
    return lines(
      `${from} asks for a text that a model should write. No model is asked: write it yourself, or answer "decline".`,
      ...quoted(
        [params.systemPrompt, ...params.messages.flatMap(({ content: said }) => wordsIn(said))]
          .filter(Boolean)
          .join('\n\n'),
      ),
      ...again,
    );
  if (params.mode === 'url') {
    const { host, href } = new URL(params.url);
    return lines(
      `${from} asks you to open a page:`,
      ...quoted(params.message),
      `The page is at ${host}: ${plainText(href, MAX_WORDS)}`,
      'The page has not been checked. Open it only if you trust it, then answer "done"; or "decline".',
      ...again,
    );
  }
  const fields = linesOf(params.requestedSchema);
  return lines(
    `${from} asks for an answer. Do not give it passwords or keys.`,
    ...quoted(params.message),
    ...fields,
    `${answerLine(fields.length)}${fields.length > 1 ? ';' : ','} or "decline".`,
    ...again,
  );
}

const lines = (...all: readonly string[]): string => all.join('\n');
const quoted = (said: string): string[] =>
  plainText(said, MAX_WORDS)
    .split('\n')
    .map((line) => `> ${line}`);

function wordsIn(said: z.infer<typeof content> | readonly z.infer<typeof content>[]): string[] {
  return [said].flat().map((one) => ('text' in one ? one.text : `[${one.type}]`));
}

/** The response to the server, or what is wrong with the person's answer. */
export type Answered = { readonly response: Readonly<Record<string, unknown>> } | { readonly wrong: string };

const DECLINED = /^["'“]?(?:decline|declined|cancel)["'”]?[.!]?$/i;
const NO = /^no[.!]?$/i;

/**
 * Turns a person's answer into a response for the server. Throws if the person declines to write a model's text: the
 * protocol has no response for that.
 */
export function answerTo({ method, params }: Question, answer: string): Answered {
  const said = answer.trim();
  if (method === 'sampling/createMessage') {
    if (DECLINED.test(said))
      throw new Told('asks for a text that a model should write, and a person has declined');
    const written = { role: 'assistant', content: { type: 'text', text: answer } };
    return { response: { ...written, model: 'a person', stopReason: 'endTurn' } };
  }
  const isConfirmation = params.mode === 'url' || Object.keys(params.requestedSchema.properties).length === 0;
  if (DECLINED.test(said) || (isConfirmation && NO.test(said))) return { response: { action: 'decline' } };
  if (params.mode === 'url') return { response: { action: 'accept' } };
  const filled = filledIn(params.requestedSchema, answer);
  return 'wrong' in filled ? filled : { response: { action: 'accept', content: filled.content } };
}
