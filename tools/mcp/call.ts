import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type { ListedTool, ToolContext } from '../../shared/agent/define/index.ts';
import { plainText } from '../../shared/contract/plain-text.ts';
import { UrlElicitationRequiredError } from './client.ts';
import { type Connected, NEVER_MS, throwFor, withServer } from './connection.ts';
import { withDigits } from './digits.ts';
import { Told } from './failures.ts';
import { readingResults } from './loose.ts';
import type { McpServerOptions } from './options.ts';
import { capabilitiesOf, type Question, readQuestion, wordsOfQuestion } from './questions.ts';
import { readResult } from './read-result.ts';
import { shownOf, textOf } from './results.ts';
import { type Round, type Rounds, roundsOf } from './rounds.ts';

/** Most characters of a server's progress message. */
const MAX_TOLD = 300;
/** Words for the model if a failed call has none. */
const NO_REASON = 'the tool reports a failure without a reason';
/** Most times that a server may ask for something more before it answers, each request being answered. */
const MAX_ROUNDS = 10;

type Context = ToolContext<string, string>;
type Progress = Parameters<NonNullable<RequestOptions['onprogress']>>[0];
type Result = Awaited<ReturnType<Client['callTool']>>;

/** The outcome of a call at its server: its result, or a question for a person. */
type Came = { readonly kind: 'answered'; readonly result: Result } | Asks;

/** `round` if the server waits in its place; otherwise the call starts again. */
interface Asks {
  readonly kind: 'asks';
  readonly question: Question;
  readonly round?: Round;
}

/**
 * Runs one call at its server. Rejects with the server's error, and if there is no answer. A question from the server
 * goes to a person, and the call starts again with the answer: nothing waits meanwhile.
 */
export async function callTool(
  options: McpServerOptions,
  tool: ListedTool,
  input: unknown,
  context: Context,
): Promise<unknown> {
  const rounds = await roundsOf(context);
  const open: Question[] = [];
  const making = {
    fresh: false,
    capabilities: capabilitiesOf(options),
    prepare: (client: Client) => answerWithin(client, options, rounds, open),
  };
  const came = await withServer(options, context, making, (connected) =>
    carryOut(connected, tool, input, { rounds, open, onprogress: tellsOf(context) }),
  ).catch((error) => throwFor(tool.name, error));
  if (came.kind === 'asks') return askPerson(options, tool, rounds, came);
  if (came.result.isError) throw new Error(textOf(came.result, NO_REASON));
  return shownOf(came.result);
}

/**
 * A server that speaks a protocol before 2026-07-28 asks in the middle of its answer, and waits. A question without an
 * answer yet gets `cancel`, which means "not now": the call ends there, and starts again when a person has answered.
 */
function answerWithin(client: Client, options: McpServerOptions, rounds: Rounds, open: Question[]): void {
  const answered = (asked: unknown) => {
    const question = readQuestion(asked);
    if (!question) throw new Error('a person could not be asked this');
    const given = rounds.answerTo(question);
    if (given && 'response' in given) return given.response;
    open.push(question);
    return undefined;
  };
  const { elicitation, sampling } = capabilitiesOf(options);
  if (elicitation)
    client.setRequestHandler(
      'elicitation/create',
      (asked) => (answered(asked) ?? { action: 'cancel' }) as never,
    );
  if (sampling)
    client.setRequestHandler('sampling/createMessage', (asked) => {
      const response = answered(asked);
      if (!response) throw new Error('not now: a person is asked');
      return response as never;
    });
}

interface Carrying {
  readonly rounds: Rounds;
  readonly open: readonly Question[];
  readonly onprogress: (progress: Progress) => void;
}

async function carryOut(
  { client, signal }: Connected,
  { name, input: inputSchema }: ListedTool,
  input: unknown,
  { rounds, open, onprogress }: Carrying,
): Promise<Came> {
  const call = { name, arguments: withDigits(input) as Record<string, unknown> };
  // Some arguments are also sent as headers, if the schema says so. The result is not checked against a schema.
  const toolDefinition = { name, inputSchema: inputSchema as { type: 'object' } };
  const options = { signal, timeout: NEVER_MS, toolDefinition, allowInputRequired: true, onprogress };
  readingResults(client, readResult);
  let { round } = rounds;
  for (let n = 0; n < MAX_ROUNDS; n++) {
    const more = round && responsesTo(round, rounds);
    if (more?.kind === 'asks') return more;
    let result: Result;
    try {
      result = await client.callTool({ ...call, ...more?.params }, options);
    } catch (error) {
      const [question] =
        error instanceof UrlElicitationRequiredError ? pagesOf(error.elicitations, rounds) : open;
      if (question) return { kind: 'asks', question };
      throw error;
    }
    const [question] = open;
    if (question) return { kind: 'asks', question };
    if (!isInputRequired(result)) return { kind: 'answered', result };
    round = { requests: result.inputRequests ?? {}, state: result.requestState };
  }
  throw new Told(`has asked for something more ${MAX_ROUNDS} times`);
}

/** Reports a call's progress to clients in the server's words, shortened and plain. */
const tellsOf =
  ({ progress: tell }: Context) =>
  ({ progress, total, message }: Progress): void => {
    const share = total !== undefined && total > 0 ? progress / total : undefined;
    const counted = total === undefined ? String(progress) : `${progress} of ${total}`;
    tell(plainText(message || counted, MAX_TOLD), share);
  };

/** The answers that a waiting server gets; or the question that is still open. */
function responsesTo(
  round: Round,
  rounds: Rounds,
): Asks | { readonly kind: 'responds'; readonly params: object } {
  const inputResponses: Record<string, unknown> = {};
  for (const [key, asked] of Object.entries(round.requests)) {
    const question = readQuestion(asked);
    if (!question) throw new Told('asks something that cannot be put to a person here');
    const given = rounds.answerTo(question);
    if (!given || 'wrong' in given) return { kind: 'asks', question, round };
    inputResponses[key] = given.response;
  }
  const state = round.state !== undefined && { requestState: round.state };
  return { kind: 'responds', params: { inputResponses, ...state } };
}

/** Pages that must be opened first. A declined one is not asked for again. */
function pagesOf(elicitations: readonly unknown[], rounds: Rounds): Question[] {
  const questions = elicitations.flatMap(
    (params) => readQuestion({ method: 'elicitation/create', params }) ?? [],
  );
  const isDeclined = (question: Question) => {
    const given = rounds.answerTo(question);
    return given && 'response' in given && given.response.action === 'decline';
  };
  return questions.some(isDeclined) ? [] : questions;
}

const isInputRequired = (
  result: object,
): result is { inputRequests?: Record<string, unknown>; requestState?: string } =>
  'resultType' in result && result.resultType === 'input_required';

function askPerson(
  { name: server }: McpServerOptions,
  { name: tool }: ListedTool,
  rounds: Rounds,
  { question, round }: Asks,
) {
  const given = rounds.answerTo(question);
  const wrong = given && 'wrong' in given ? given.wrong : undefined;
  return rounds.ask(question, wordsOfQuestion(question, { server, tool, wrong, begins: !round }), round);
}
