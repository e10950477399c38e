/** The simulated model's answer to a request for a summary, and the simulator's own records of it. */

import type { ModelRequest } from '../../shared/agent/ports/provider.ts';
import type { Failure, Reply } from '../../shared/agent/session/reply.ts';
import type { Block } from '../../shared/agent/session/slots.ts';
import type { Claim, SessionFacts } from './ledger.ts';
import { type Base, nothing } from './replies.ts';
import type { World } from './world.ts';

/** The model that makes summaries, if a workload has a separate one. */
export const SUMMARIZER = 'sum';

/** A summary that a model has sold. */
export interface ServedSummary {
  readonly runId: string;
  readonly text: string;
  readonly input: number;
  readonly output: number;
  /** See `ServedReply`. */
  readonly lost: number;
  /** Whether it is valid: neither truncated nor refused, and not too long. */
  readonly whole: boolean;
  /** Everything that it was made from. */
  readonly over: string;
}

/** Whether a model is asked for a summary: the last message says so. */
export const isSummaryAsk = ({ messages }: ModelRequest): boolean =>
  mostChars(messages.at(-1)?.content.at(-1)) !== undefined;

/** Maximum characters of a summary, as its model is told. */
function mostChars(last: Block | undefined): number | undefined {
  const told = /^\[steploop\] Context: .* plain text of at most (\d+) characters/.exec(
    String(last?.text ?? ''),
  );
  return told ? Number(told[1]) : undefined;
}

/** A summary without budget: its run may end before it has asked for anything else. */
export const failureOfSummary = ({ faults, workload, scheduler }: World): Failure | undefined =>
  workload.scripted && !faults.stopped && scheduler.random.chance(0.1)
    ? { kind: 'account', code: 'billing_error', message: 'no money' }
    : undefined;

/** A summary as requested, or what models answer instead. */
export function sumUp(
  { faults, scheduler: { random } }: World,
  { key }: Claim,
  request: ModelRequest,
  bought: string,
  base: Base,
): Reply {
  const most = mostChars(request.messages.at(-1)?.content.at(-1)) ?? 0;
  const text = `${bought} <${key.tenant}> sums up`.padEnd(random.between(30, most), '.').slice(0, most);
  const whole: Reply = { ...base, stop: 'end_turn', content: [{ type: 'text', text }], calls: [] };
  if (faults.stopped || random.chance(0.75)) return whole;
  const call = { id: `call_${bought}`, name: 'look', input: { call: `call_${bought}` } };
  const use: Block = { type: 'tool_use', ...call };
  switch (random.pick(['refused', 'empty', 'cut', 'long', 'calls', 'only calls'])) {
    case 'refused':
      return { ...whole, stop: 'refusal', stopDetail: 'policy' };
    case 'empty':
      return nothing(base, 'end_turn').reply;
    case 'cut':
      return { ...whole, stop: 'max_tokens' };
    case 'long':
      return { ...whole, content: [{ type: 'text', text: text.padEnd(most + 1, '!') }] };
    case 'calls':
      return { ...whole, stop: 'tool_use', content: [...whole.content, use], calls: [call] };
    default:
      return { ...whole, stop: 'tool_use', content: [use], calls: [call] };
  }
}

/** Records a model's summary. */
export function noteSummary(
  { served }: SessionFacts,
  runId: string,
  messageId: string,
  request: ModelRequest,
  { content, usage, stop }: Reply,
  lost: number,
): void {
  const text = content.map((block) => (block.type === 'text' ? String(block.text) : '')).join('');
  const over = JSON.stringify(request.messages);
  const most = mostChars(request.messages.at(-1)?.content.at(-1)) ?? 0;
  const whole = text.length <= most && (stop === 'end_turn' || stop === 'tool_use');
  const { input, output } = usage;
  served.summaries.set(messageId, { runId, text, input, output, lost, whole, over });
}
