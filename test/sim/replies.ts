import type { ModelRequest } from '../../shared/agent/ports/provider.ts';
import type { Failure, ModelOutcome, Reply } from '../../shared/agent/session/reply.ts';
import type { Block, Stop, ToolCall } from '../../shared/agent/session/slots.ts';
import { OVER } from './desk.ts';
import { isTextOnly } from './invariants/controls.ts';
import type { Claim } from './ledger.ts';
import { oddBlocks } from './odd.ts';
import { signedOver } from './window.ts';
import type { Workload } from './workloads.ts';
import type { World } from './world.ts';

/** Whether this step kills its worker. */
export const isPoison = ({ workload }: World, request: ModelRequest, where: 'model' | 'tool'): boolean => {
  if (workload.poison !== where) return false;
  const last = request.messages.at(-1)?.content.at(-1);
  return String(last?.text ?? '').includes('poison');
};

/** Why the model's server does not answer at all, if it does not. */
export function failureBefore(world: World): Failure | undefined {
  const { faults, scheduler, workload, startedAt } = world;
  const { random } = scheduler;
  if (!faults.stopped && scheduler.now < startedAt + workload.modelDownMs) return retry('overloaded_error');
  if (faults.strikes('rateLimited'))
    return {
      ...retry('rate_limit_error'),
      rateLimited: true,
      ...(random.chance(0.5) && { retryAfterMs: random.between(1, 60) * 1000 }),
    };
  if (faults.strikes('rateLimitedLong'))
    return {
      ...retry('rate_limit_error'),
      rateLimited: true,
      retryAfterMs: random.pick([899_000, 901_000, 3_600_000]),
    };
  if (faults.strikes('overloaded')) return retry('overloaded_error');
  const limited = refusedByLimit(world);
  if (limited) return limited;
  const scripted = workload.scripted && random.chance(0.04);
  if (scripted || faults.strikes('fatal')) {
    const kind = random.pick(['fatal', 'account'] as const);
    return {
      kind,
      code: kind === 'fatal' ? 'invalid_request_error' : 'billing_error',
      message: 'the history differs',
    };
  }
  return undefined;
}

/**
 * Why a server with a limit does not answer: there were too many requests in this window. It usually says when the next
 * window begins.
 */
function refusedByLimit(world: World): Failure | undefined {
  const { scheduler, window } = world;
  const { limit } = world.workload;
  if (!limit) return undefined;
  const at = Math.floor(scheduler.now / limit.everyMs);
  if (window.at !== at) Object.assign(window, { at, taken: 0 });
  if (window.taken < limit.requests) {
    window.taken += 1;
    return undefined;
  }
  const restMs = (at + 1) * limit.everyMs - scheduler.now;
  const tells = scheduler.random.chance(0.8);
  return {
    ...retry('rate_limit_error'),
    rateLimited: true,
    ...(tells && { retryAfterMs: 1000 * Math.ceil(restMs / 1000) }),
  };
}

export const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export const retry = (code: string): Extract<Failure, { kind: 'retry' }> => ({
  kind: 'retry',
  code,
  message: code,
  rateLimited: false,
});

/** The common part of all replies. */
export type Base = Pick<Reply, 'model' | 'usage'>;

export const nothing = (base: Base, stop: Stop): Extract<ModelOutcome, { kind: 'reply' }> => ({
  kind: 'reply',
  reply: { ...base, stop, content: [], calls: [] },
});

/** Its text. An agent that answers with objects often gets one that fits, and sometimes one that does not. */
function textOf(
  { scheduler: { random } }: World,
  { key }: Claim,
  { answer }: Pick<ModelRequest, 'answer'>,
  bought: string,
): string {
  const text = `${bought} <${key.tenant}> answers at length`;
  if (!answer || random.chance(0.3)) return text;
  const { properties = {} } = answer.schema;
  const object = { said: text, ...('n' in (properties as object) && { n: 1 }) };
  return random.chance(0.8) ? `It is ${JSON.stringify(object)}.` : JSON.stringify({ ...object, said: 1 });
}

/** The model's reply: by chance, as the workload configures it, with every odd stop that its server has. */
export function compose(
  world: World,
  claim: Claim,
  request: ModelRequest,
  bought: string,
  base: Base,
): Reply {
  const { faults, scheduler, workload } = world;
  const { random } = scheduler;
  const text = textOf(world, claim, request, bought);
  const thoughts: Block[] = random.chance(0.2)
    ? [
        {
          type: 'thinking',
          thinking: `hm, ${bought}`,
          signature: workload.context ? signedOver(request) : bought,
        },
      ]
    : [];
  const calls: ToolCall[] = [];
  const textOnly = isTextOnly(request);
  const tools =
    request.tools.length > 0 && (random.chance(workload.toolRate) || isPoison(world, request, 'tool'));
  if (tools) {
    const many = random.chance(0.5) ? 1 : random.between(1, workload.batch);
    for (let i = 0; i < many; i++) {
      const name = random.pick(workload.family ? offered(workload.tools, request) : workload.tools);
      // Their order differs from that of the ids.
      const id = `call_${bought}_${9 - i}`;
      const input = inputFor(world, name, id, claim);
      calls.push({ id, name, input: random.chance(0.05) ? {} : input });
    }
  }
  const paused = calls.length === 0 && faults.strikes('paused');
  const says: Block[] = calls.length === 0 || textOnly || random.chance(0.5) ? [{ type: 'text', text }] : [];
  const uses: Block[] = calls.map((call) => ({ type: 'tool_use', ...call }));
  const content = [...thoughts, ...says, ...oddBlocks(world, bought), ...uses];
  const whole: Reply = { ...base, stop: calls.length > 0 ? 'tool_use' : 'end_turn', content, calls };

  if (workload.scripted && random.chance(0.2)) {
    const stop = random.pick(['refusal', 'unknown', 'context_limit'] as const);
    const silent = { ...whole, stop, stopDetail: 'as scripted', calls: [], content: [] };
    return random.chance(0.5) ? silent : { ...whole, stop, stopDetail: 'as scripted' };
  }
  if (faults.strikes('truncated')) return { ...whole, stop: 'max_tokens' };
  if (faults.strikes('refusal')) return { ...whole, stop: 'refusal', stopDetail: 'policy' };
  if (faults.strikes('unknownStop')) return { ...whole, stop: 'unknown', stopDetail: 'tea_break' };
  if (paused) return { ...whole, stop: 'pause_turn' };
  if (faults.strikes('emptyReply'))
    return { ...whole, stop: random.pick(['end_turn', 'tool_use', 'context_limit']), content: [], calls: [] };
  return whole;
}

/** Those that this agent has: the last one of a family asks no others. */
function offered(tools: Workload['tools'], { tools: declared }: ModelRequest): Workload['tools'] {
  const has = tools.filter((tool) => declared.some(({ name }) => name === tool));
  return has.length > 0 ? has : ['look'];
}

function inputFor({ workload, scheduler }: World, name: string, id: string, { key, head }: Claim): object {
  if (name === 'send_to')
    return {
      agent: head.session.background?.at(-1)?.sessionId ?? 'c0',
      message: `<${key.tenant}> adds ${id}`,
    };
  if (name === 'ask_user') return { question: `${id}?` };
  if (name === OVER) return { note: id };
  if (name === 'team' && workload.shape === 'map')
    return {
      items: Array.from(
        { length: scheduler.random.between(1, 7) },
        (_, i) => `<${key.tenant}> wants ${id} ${i}`,
      ),
    };
  return name === 'team' ? { task: `<${key.tenant}> wants ${id}` } : { call: id };
}
