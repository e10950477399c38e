import type { ClientCapabilities } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { Told } from './failures.ts';
import { Form, filledIn, linesOf } from './fields.ts';
import type { McpServerOptions } from './options.ts';
import { plainText } from './plain-text.ts';

/** What a server may ask in the midst of a call. */
export const capabilitiesOf = ({ elicitation = true, sampling }: McpServerOptions): ClientCapabilities => ({
  ...(elicitation && { elicitation: { form: {}, url: {} } }),
  ...(sampling === 'person' && { sampling: {} }),
});

const text = z.object({ type: z.literal('text'), text: z.string() });
const content = z.union([text, z.object({ type: z.string() })]);

/** What a server asks, as far as a person can answer it. */
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

/** Reads what a server asks. Undefined when it is nothing that a person could answer. */
export const readQuestion = (asked: unknown): Question | undefined => {
  const read = Question.safeParse(asked);
  if (!read.success) return undefined;
  const { method, params } = read.data;
  return method === 'elicitation/create' && params.mode === 'url' && !isHttps(params.url)
    ? undefined
    : read.data;
};

const isHttps = (url: string): boolean => URL.parse(url)?.protocol === 'https:';

/** Characters of a server's words in one question. */
const MAX_WORDS = 2_000;

/**
 * A question as a person reads it. The server's words are quoted, and what it would have the person open is named and not opened.
 *
 * @param wrong what was wrong with the answer before
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
    ...(wrong === undefined ? [] : [`The answer before could not be used: ${wrong}.`]),
    ...(begins ? ['With the answer the tool begins anew.'] : []),
  ];
  const from = `the MCP server "${server}", in its tool ${plainText(tool, 100)}`;
  if (method === 'sampling/createMessage')
    return lines(
      `What a model should write is asked by ${from}. No model is asked: write it, or "decline".`,
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
      `A page is to be opened, says ${from}:`,
      ...quoted(params.message),
      `The page is at ${host}: ${plainText(href, MAX_WORDS)}`,
      'Nobody has looked at it. Open it only if you trust it, then answer "done"; or "decline".',
      ...again,
    );
  }
  const fields = linesOf(params.requestedSchema);
  return lines(
    `Something is asked by ${from}. Give it no passwords or keys.`,
    ...quoted(params.message),
    ...fields,
    fields.length > 1 ? 'Answer with a line for each, "name: value"; or "decline".' : 'Answer, or "decline".',
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

/** What a server is answered with, or what is wrong with what the person has written. */
export type Answered = { readonly response: Readonly<Record<string, unknown>> } | { readonly wrong: string };

const DECLINED = /^["'“]?(?:decline|declined|cancel)["'”]?[.!]?$/i;
const NO = /^no[.!]?$/i;

/** What a person's answer is for the server. Throws when what a model should write is declined: the protocol has no answer for that. */
export function answerTo({ method, params }: Question, answer: string): Answered {
  const said = answer.trim();
  if (method === 'sampling/createMessage') {
    if (DECLINED.test(said))
      throw new Told('would have something written by a model, which a person has declined');
    const written = { role: 'assistant', content: { type: 'text', text: answer } };
    return { response: { ...written, model: 'a person', stopReason: 'endTurn' } };
  }
  const isConfirmation = params.mode === 'url' || Object.keys(params.requestedSchema.properties).length === 0;
  if (DECLINED.test(said) || (isConfirmation && NO.test(said))) return { response: { action: 'decline' } };
  if (params.mode === 'url') return { response: { action: 'accept' } };
  const filled = filledIn(params.requestedSchema, answer);
  return 'wrong' in filled ? filled : { response: { action: 'accept', content: filled.content } };
}
