import type { Done } from '../guardrails/guard.ts';
import { judge } from '../guardrails/judge.ts';
import { wasRun } from '../guardrails/loops/fingerprint.ts';
import { own } from '../plain/merge.ts';
import { withUse } from '../session/charge.ts';
import { usedByChildren } from '../session/children.ts';
import { toolOf } from '../session/facts.ts';
import { runOf, type Session, withRun } from '../session/session.ts';
import type { ToolCall, ToolResult, ToolsSlot } from '../session/slots.ts';
import { batchTimingIn } from '../session/timing.ts';
import type { BlockCall, Halt, Spoken } from '../session/verdict.ts';
import { overLimit } from '../step/batch/planned-call.ts';
import { withNudges } from '../step/model/told.ts';
import { notRun } from '../tools/execute.ts';
import { type Heard, halted, heardAt, type Rules, type Watched } from './watched.ts';

/** A call as the guards decide on it before it runs. */
interface Judged {
  readonly call: ToolCall;
  /** Its result if it is not run; absent if it runs. */
  readonly refused?: ToolResult;
}

/** A batch before it runs. */
interface Planned {
  readonly session: Session;
  readonly heard: readonly Heard[];
  readonly calls: readonly Judged[];
  readonly halt?: Halt & { readonly guard: string };
}

/**
 * Judges the calls of a reply, their stored results, and the whole batch.
 *
 * @param ran absent if the calls have no results: they never ran, or are still open
 */
export function watchCalls(
  before: Session,
  calls: readonly ToolCall[],
  ran: ToolsSlot | undefined,
  rules: Rules,
): Watched {
  const plan = watchStarts(before, calls, ran, rules);
  if (!ran && !plan.halt) return plan;
  const { guards, tools } = rules;
  let { session } = plan;
  const heard = [...plan.heard];
  const done: Done[] = [];
  const results: ToolResult[] = [];
  for (const { call, refused } of plan.calls) {
    const result = refused ?? ran?.results.find(({ callId }) => callId === call.id);
    if (!result) continue;
    const tool = toolOf(tools, call);
    const judged = judge(guards, 'result', session, { call, result, tool });
    session = withNudges(judged.session, judged.spoken);
    heard.push(...heardAt(judged.spoken, call.id));
    results.push(result);
    if (wasRun(result)) done.push({ call, result, tool });
  }
  const halt = plan.halt ?? heard.map(({ verdict }) => verdict).find(isHalt);
  if (!plan.halt) {
    const ends = halt !== undefined;
    const judged = judge(guards, 'batch', session, { calls, done, tools, ends });
    session = withNudges(judged.session, judged.spoken);
    heard.push(...heardAt(judged.spoken));
  }
  const worked = countedCalls(session, calls.length, results, ran);
  return halt ? halted(worked, heard, halt, rules) : { session: worked, heard };
}

/** Judges each call before it runs, up to the first halt. */
function watchStarts(
  before: Session,
  calls: readonly ToolCall[],
  ran: ToolsSlot | undefined,
  { guards, tools, pinned }: Rules,
): Planned {
  let session = before;
  const heard: Heard[] = [];
  const judgedCalls: Judged[] = [];
  const asked: { readonly call: ToolCall; readonly blocks: readonly Blocked[] }[] = [];
  for (const [i, call] of calls.entries()) {
    const tool = toolOf(tools, call);
    const judged = judge(guards, 'call', session, { call, effect: tool?.effect ?? 'unknown', tool });
    session = judged.session;
    heard.push(...heardAt(judged.spoken, call.id));
    const { verdict } = judged;
    if (verdict?.kind === 'halt') {
      const stopped = calls.map((one): Judged => ({ call: one, refused: stoppedBy(one, i, calls, verdict) }));
      return { session, heard, calls: stopped, halt: verdict };
    }
    const blocks = judged.spoken.filter(isBlock);
    const [first] = blocks;
    const result = ran?.results.find(({ callId }) => callId === call.id);
    const mayAsk = first !== undefined && blocks.every(({ ask = 'never' }) => ask !== 'never');
    if (mayAsk) asked.push({ call, blocks });
    const isLet = mayAsk && result !== undefined && wasRun(result);
    const refused =
      overLimit(call, i, pinned.limits) ?? (first && !isLet ? refusedBy(call, first) : undefined);
    judgedCalls.push(refused ? { call, refused } : { call });
  }
  // A person's decision counts once all calls of the batch are judged.
  for (const { call, blocks } of asked) {
    const refusing = guards.filter(({ name }) => blocks.some(({ guard }) => guard === name));
    const approved = judgedCalls.some((one) => one.call.id === call.id && !one.refused);
    if (!approved && own(ran?.saidTo ?? {}, call.id) === undefined) continue;
    session = judge(refusing, 'decided', session, { call, tool: toolOf(tools, call), approved }).session;
  }
  return { session, heard, calls: judgedCalls };
}

type Blocked = Spoken & BlockCall;
const isBlock = (one: Spoken): one is Blocked => one.kind === 'block';
const isHalt = (one: Spoken): one is Spoken & Halt => one.kind === 'halt';

const refusedBy = (call: ToolCall, { result, message }: BlockCall | Halt): ToolResult =>
  notRun(call, 'refused', result ?? `Error [refused]: ${message}`);

const stoppedBy = (call: ToolCall, at: number, calls: readonly ToolCall[], halt: Halt): ToolResult =>
  call === calls[at] ? refusedBy(call, halt) : notRun(call, 'cancelled', '');

function countedCalls(
  session: Session,
  calls: number,
  results: readonly ToolResult[],
  ran: ToolsSlot | undefined,
): Session {
  const used = withUse(session, usedByChildren(results));
  const { toolCalls, activeMs } = runOf(used);
  const ms = ran?.at === undefined ? 0 : batchTimingIn(ran.at).ms;
  return withRun(used, { toolCalls: toolCalls + calls, activeMs: activeMs + ms });
}
