/** One call of a remote agent: its task is begun once, and looked at until it has ended. */

import type { ToolContext } from '../../shared/agent/define/index.ts';
import { type Book, bookOf, type Entry, messageIdOf, taskNameOf } from './book.ts';
import type { Task } from './client.ts';
import { type Connected, connect } from './connect.ts';
import { failureOf, lost, Told, wordsOf } from './failures.ts';
import { type RemoteAgentOptions, USUAL_WAIT } from './options.ts';
import { type Outcome, outcomeOf, textOf } from './outcome.ts';
import { look, send } from './speak.ts';
import { pauses, rest } from './wait.ts';

/** Looks in a row that may fail. */
const MAX_FAILURES = 5;

type Context = ToolContext<string, string>;

interface Asked {
  readonly message?: string | undefined;
  readonly task?: string | undefined;
}

interface Call extends Connected {
  readonly options: RemoteAgentOptions;
  readonly context: Context;
  readonly book: Book;
  /** The name of the call's task, for the model. */
  readonly own: string;
}

/** Gives the agent a task, or goes on with one, and returns its answer. Rejects with a sentence for the model. */
export async function askRemote(options: RemoteAgentOptions, asked: Asked, context: Context) {
  let secret: string | undefined;
  try {
    const connected = await connect(options, context);
    secret = connected.wire.secret;
    const own = taskNameOf(context.idempotencyKey);
    const call = { ...connected, options, context, own, book: bookOf(options.name, context.services) };
    return await goOn(call, await begun(call, asked));
  } catch (error) {
    throw failureOf(options.name, error, secret);
  }
}

/** The call's entry, after its message was sent; with the task as the agent's answer to it has it. */
async function begun(call: Call, { message, task }: Asked): Promise<readonly [Entry, Task?]> {
  const { book, own, options, context } = call;
  const before = await book.get(own);
  if (before?.state === 'sent') return [before];
  if (before && !options.deduplicates) throw lost();
  // The message that is repeated is the answer to a question.
  if (before && before.answers > 0) return [{ ...before, answers: before.answers - 1 }];
  const earlier = task === undefined ? undefined : await book.get(task);
  if (task !== undefined && !earlier)
    throw new Told(`has no task ${task} of this session. Leave "task" out to begin one.`);
  if (message === undefined) {
    if (!earlier) throw new Told('needs a message: the task, with everything that is needed for it.');
    const looks = { ...earlier, answers: 0 };
    await book.put(own, looks);
    return [looks];
  }
  const { taskId, contextId } = earlier ?? {};
  // A task that has ended accepts no messages, and its context goes on in another one.
  const open = taskId === undefined ? undefined : await look(call, taskId, context.signal);
  const isOpen = open !== undefined && ['works', 'asks'].includes(outcomeOf(open).kind);
  return sent(call, { state: 'sending', ...(isOpen && { taskId }), contextId, answers: 0 }, message);
}

/** Sends a message of the call. That it is sent is stored before. */
async function sent(call: Call, entry: Entry, text: string): Promise<readonly [Entry, Task?]> {
  const { book, own, context, options } = call;
  const { taskId, contextId, answers } = entry;
  await book.put(own, { ...entry, state: 'sending' });
  const messageId = messageIdOf(context.idempotencyKey, answers);
  const seconds = options.waitSeconds ?? USUAL_WAIT;
  const answer = await send(call, { messageId, text, taskId, contextId, seconds }, context.signal);
  const now: Entry =
    answer.kind === 'message'
      ? { state: 'sent', answers, contextId: answer.message.contextId, reply: textOf(answer.message.parts) }
      : { state: 'sent', answers, contextId: answer.task.contextId, taskId: answer.task.id };
  await book.put(own, now);
  return answer.kind === 'message' ? [now] : [now, answer.task];
}

/** Sends the answer of a person, and waits until the task has ended or asks something. */
async function goOn(call: Call, [begin, first]: readonly [Entry, Task?]): Promise<unknown> {
  const answer = call.context.answers[begin.answers];
  const [{ taskId, reply }, task] =
    answer === undefined
      ? [begin, first]
      : await sent(call, { ...begin, answers: begin.answers + 1 }, answer);
  if (taskId === undefined) return told(call, reply ?? '');
  const outcome = await settled(call, taskId, task && outcomeOf(task));
  return outcome.kind === 'works' && call.options.push ? notified(call, taskId) : resultOf(call, outcome);
}

/** Has the agent notify the call of the end of its task. The task may have ended before the agent knew where to. */
async function notified(call: Call, taskId: string): Promise<unknown> {
  const { context, options, own, client } = call;
  const { expiresAfterSeconds } = options.push ?? {};
  const later = await context.later({ ...(expiresAfterSeconds !== undefined && { expiresAfterSeconds }) });
  const url = `${later.url}?a2a=${own}`;
  const config = { ...{ tenant: '', id: own, taskId, url, token: '' }, authentication: undefined };
  const isKnown = await client.createTaskPushNotificationConfig(config, { signal: context.signal }).then(
    () => true,
    () => false,
  );
  const outcome = outcomeOf(await look(call, taskId, context.signal));
  return isKnown && outcome.kind === 'works' ? later : resultOf(call, outcome);
}

/** Looks at a task until it has ended, asks something, or the time of the call is over. */
async function settled(call: Call, taskId: string, known: Outcome | undefined): Promise<Outcome> {
  const { context, options, own } = call;
  let outcome: Outcome = known ?? { kind: 'works' };
  let failures = 0;
  for (const ms of [...(known ? [] : [0]), ...pauses(options.waitSeconds ?? USUAL_WAIT)]) {
    if (outcome.kind !== 'works') break;
    await rest(ms, context.signal);
    try {
      outcome = outcomeOf(await look(call, taskId, context.signal));
      failures = 0;
    } catch (error) {
      failures += 1;
      if (error instanceof Told || context.signal.aborted) throw error;
      if (failures === MAX_FAILURES)
        throw new Told(
          `cannot be reached: ${wordsOf(error, call.wire.secret)}. Its task may go on: look again with { "task": "${own}" }.`,
        );
    }
  }
  return outcome;
}

function resultOf(call: Call, outcome: Outcome): unknown {
  const { context, options, own } = call;
  switch (outcome.kind) {
    case 'done':
      return told(call, outcome.text);
    case 'works':
      return `The agent has not finished yet. Call ${options.name} with { "task": "${own}" } later, to look how far it is.`;
    case 'asks':
      return options.questions === 'model'
        ? `The agent asks:\n\n${outcome.question}\n\nAnswer with { "task": "${own}", "message": "…" }.`
        : context.ask(`The agent ${options.name} asks: ${outcome.question}`);
    case 'failed':
      throw new Told(`${outcome.why} (task ${own})`);
    default:
      return outcome satisfies never;
  }
}

const told = ({ own }: Call, text: string): string =>
  `${text.trim() === '' ? 'The agent has finished, and has said nothing.' : text}\n\n(Task ${own}.)`;
