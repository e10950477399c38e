import type { Delta, ModelRequest, Provider } from '../../shared/agent/ports.ts';
import type { Failure, ModelOutcome, Reply, Stop } from '../../shared/agent/reply.ts';
import type { Block, ToolCall } from '../../shared/agent/slots.ts';

/** One scripted answer of the model, or a function of the request. */
export type Scripted =
  | ModelOutcome
  | ((request: ModelRequest, signal: AbortSignal) => ModelOutcome | Promise<ModelOutcome>);

/** A provider that answers from a script. An unexpected call throws; `requests` records what was asked. */
export interface ScriptedModel extends Provider {
  readonly requests: readonly ModelRequest[];
  /** Adds answers to the end of the script. */
  then(...more: Scripted[]): void;
  /** Answers not asked for. */
  left(): number;
}

export function scriptedModel(...script: Scripted[]): ScriptedModel {
  const answers = [...script];
  const requests: ModelRequest[] = [];
  return {
    requests,
    then: (...more) => void answers.push(...more),
    left: () => answers.length,
    async complete(request, onDelta, signal) {
      requests.push(structuredClone(request));
      const next = answers.shift();
      if (!next)
        throw new Error(
          `unexpected model call ${requests.length}: ${JSON.stringify(request.messages.at(-1))}`,
        );
      const outcome = typeof next === 'function' ? await next(request, signal) : next;
      if (outcome.kind === 'reply') for (const delta of deltasOf(outcome.reply)) onDelta(delta);
      return outcome;
    },
  };
}

/** A reply of text. */
export const says = (text: string, more: Partial<Reply> = {}): ModelOutcome =>
  reply({ content: text ? [{ type: 'text', text }] : [], ...more });

/** A reply that calls tools: `calls(['get', { id: 1 }], ['list', {}])`. Ids count up over the whole test. */
export const calls = (...wanted: [name: string, input: unknown][]): ModelOutcome =>
  saysAndCalls('', ...wanted);

export function saysAndCalls(text: string, ...wanted: [name: string, input: unknown][]): ModelOutcome {
  const made = wanted.map(([name, input]): ToolCall => ({ id: `call_${++callCount}`, name, input }));
  const blocks: Block[] = made.map((call) => ({ type: 'tool_use', ...call }));
  const content = text ? [{ type: 'text', text }, ...blocks] : blocks;
  return reply({ stop: 'tool_use', content, calls: made });
}

/** A failed call. */
export const fails = (failure: Partial<Extract<Failure, { kind: 'retry' }>> = {}): ModelOutcome => ({
  kind: 'failed',
  failure: { kind: 'retry', code: 'overloaded_error', message: 'overloaded', rateLimited: false, ...failure },
});

export const stops = (stop: Stop, text: string): ModelOutcome => says(text, { stop });

let callCount = 0;

function reply(more: Partial<Reply>): ModelOutcome {
  return {
    kind: 'reply',
    reply: {
      model: 'test-model',
      stop: 'end_turn',
      content: [],
      calls: [],
      usage: { input: 100, output: 50, cacheRead: 0, cacheWrite: 0 },
      ...more,
    },
  };
}

const deltasOf = (reply: Reply): Delta[] =>
  reply.content.flatMap((block) =>
    block.type === 'text' ? [{ kind: 'text' as const, text: String(block.text) }] : [],
  );
