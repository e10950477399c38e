import type { Delta, ModelRequest, Provider } from '../shared/agent/ports/provider.ts';
import type { Failure, ModelOutcome, Reply } from '../shared/agent/session/reply.ts';
import type { Block, Stop, ToolCall } from '../shared/agent/session/slots.ts';

/** The input of a scripted answer: the request, the step's signal, and a way to stream text before it ends. */
export interface ScriptedRequest {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly stream: (text: string) => void;
}

/** One scripted answer of the model, or a function that makes one. Its text is streamed. */
export type Scripted = ModelOutcome | ((asked: ScriptedRequest) => ModelOutcome | Promise<ModelOutcome>);

/** Answers every request. */
export type Answering = (asked: ScriptedRequest) => ModelOutcome | Promise<ModelOutcome>;

/** A provider that answers from a script. An unexpected call throws; `requests` records the requests. */
export interface ScriptedModel extends Provider {
  readonly requests: readonly ModelRequest[];
  /** Adds answers to the end of the script. */
  answer(...more: Scripted[]): void;
  /** Number of unused answers. */
  left(): number;
}

export function scriptedModel(...script: Scripted[]): ScriptedModel {
  const answers = [...script];
  const requests: ModelRequest[] = [];
  return {
    requests,
    answer: (...more) => void answers.push(...more),
    left: () => answers.length,
    async complete(request, onDelta, signal) {
      requests.push(structuredClone(request));
      const next = answers.shift();
      if (!next)
        throw new Error(
          `unexpected model call ${requests.length}: ${JSON.stringify(request.messages.at(-1))}`,
        );
      if (typeof next === 'function') return answered(next, { request, signal }, onDelta);
      tell(next, onDelta);
      return next;
    },
  };
}

/** A provider that calls a function for each request. */
export function answeringModel(answer: Answering): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    answer() {},
    left: () => 0,
    async complete(request, onDelta, signal) {
      requests.push(structuredClone(request));
      return answered(answer, { request, signal }, onDelta);
    },
  };
}

/** Gets the answer; its text is streamed at the end, unless the function has streamed some itself. */
async function answered(
  answer: Answering,
  asked: Omit<ScriptedRequest, 'stream'>,
  onDelta: (delta: Delta) => void,
): Promise<ModelOutcome> {
  let streamed = false;
  const stream = (text: string) => {
    streamed = true;
    onDelta({ kind: 'text', text });
  };
  const outcome = await answer({ ...asked, stream });
  if (!streamed) tell(outcome, onDelta);
  return outcome;
}

/** A reply of text. */
export const says = (text: string, more: Partial<Reply> = {}): ModelOutcome =>
  reply({ content: text ? [{ type: 'text', text }] : [], ...more });

/** A reply that calls tools: `calls(['get', { id: 1 }], ['list', {}])`. Ids count up over the whole test. */
export const calls = (...wanted: [name: string, input: unknown][]): ModelOutcome =>
  saysAndCalls('', ...wanted);

/** A reply of text that calls tools as well. */
export function saysAndCalls(text: string, ...wanted: [name: string, input: unknown][]): ModelOutcome {
  const made = wanted.map(([name, input]): ToolCall => ({ id: `call_${++callCount}`, name, input }));
  const blocks: Block[] = made.map((call) => ({ type: 'tool_use', ...call }));
  const content = text ? [{ type: 'text', text }, ...blocks] : blocks;
  return reply({ stop: 'tool_use', content, calls: made });
}

/** A reply with some of its fields changed. */
export function changed(outcome: ModelOutcome, more: Partial<Reply>): ModelOutcome {
  if (outcome.kind === 'failed') throw new Error('a failed call has no reply to change');
  return { kind: 'reply', reply: { ...outcome.reply, ...more } };
}

/** A failed call. */
export const fails = (failure: Partial<Extract<Failure, { kind: 'retry' }>> = {}): ModelOutcome => ({
  kind: 'failed',
  failure: { kind: 'retry', code: 'overloaded_error', message: 'overloaded', rateLimited: false, ...failure },
});

/** A reply that stops for another reason than completion: `stops('max_tokens', 'It is')`. */
export const stops = (stop: Stop, text: string): ModelOutcome => says(text, { stop });

/** Streams text and continues until the step stops it; the text so far is kept whole. */
export const talksUntilStopped =
  (text: string): Scripted =>
  async ({ signal, stream }) => {
    stream(text);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return stops('interrupted', text);
  };

/** Tokens of a reply: `says('Hi', usage(1_000, 20))`. */
export const usage = (input: number, output: number): Pick<Reply, 'usage'> => ({
  usage: { input, output, cacheRead: 0, cacheWrite: 0 },
});

let callCount = 0;

export function reply(more: Partial<Reply>): ModelOutcome {
  return {
    kind: 'reply',
    reply: {
      model: 'test-model',
      stop: 'end_turn',
      content: [],
      calls: [],
      ...usage(100, 50),
      ...more,
    },
  };
}

function tell(outcome: ModelOutcome, onDelta: (delta: Delta) => void): void {
  if (outcome.kind === 'failed') return;
  for (const { type, text, thinking } of outcome.reply.content) {
    if (type === 'text') onDelta({ kind: 'text', text: String(text) });
    if (type === 'thinking') onDelta({ kind: 'thinking', text: String(thinking) });
  }
}
