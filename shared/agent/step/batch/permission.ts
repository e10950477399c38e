import { own } from '../../plain/merge.ts';
import { hasPolicies } from '../../policy/applying.ts';
import { withGrant } from '../../policy/grants.ts';
import type { StoredCaller } from '../../session/caller.ts';
import { toolOf } from '../../session/facts.ts';
import type { Grant, Leave, Leaves, PersonDecision } from '../../session/leave.ts';
import { isPlanning } from '../../session/proposals.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall } from '../../session/slots.ts';
import type { OpenBatch } from '../../session/waits.ts';
import { type LeaveOf, leaveWithoutPolicy } from '../../tools/asking.ts';
import { leaveToPropose } from '../../tools/planning.ts';
import { readLeave } from '../../tools/read-leave.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Step } from '../open/step-context.ts';
import type { Known } from './known.ts';
import { approvalId } from './waits.ts';

type Under = Pick<Step, 'agent' | 'loaded' | 'io'>;

/**
 * The function that decides whether calls of this step may run. Most agents have no policy; then only tools and effects ask for
 * a decision.
 *
 * @param session with the people who have asked for the run, including those whose messages this step has read
 */
export async function leaveOfStep(step: Under, session: Session): Promise<LeaveOf> {
  const leaveOf = await leaveToAct(step, session);
  return isPlanning(session) ? leaveToPropose(leaveOf) : leaveOf;
}

async function leaveToAct(step: Under, session: Session): Promise<LeaveOf> {
  const { effects } = step.loaded.pinned.approvals;
  if (!hasPolicies(step.agent) && !session.grants) return leaveWithoutPolicy(effects);
  const { leaveUnder } = await readLeave();
  return leaveUnder({ agent: step.agent ?? {}, session, effects, now: step.io.clock.now() });
}

/** Whether a person who may decide is listening to the session: over a WebSocket now, or in Slack or by a callback. */
export const isAttended = ({ loaded, session }: Pick<Step, 'loaded' | 'session'>): boolean =>
  session.outbound || loaded.view.fence.subscribers.length > 0;

/** Whether no person can be asked: no client listens, and only webhooks and schedules have asked for the run. */
export function isDeserted(
  step: Pick<Step, 'agent' | 'loaded'>,
  session: Session,
  attended: boolean,
): boolean {
  const { unattended = hasPolicies(step.agent) ? 'deny' : 'wait' } = step.loaded.pinned.approvals;
  const { callers = [], strangers } = session.run ?? {};
  const byMachine = ({ kind, channel }: StoredCaller) => kind === 'webhook' || channel === 'schedule';
  const onlyMachines = !strangers && callers.length > 0 && callers.every(byMachine);
  return unattended === 'deny' && !attended && onlyMachines;
}

/** The decisions on those calls of a recovered reply that are known to have begun. */
export function leavesOfBegun(
  { recovered }: Pick<Step, 'recovered'>,
  { started, results }: Known,
): { readonly leaves?: Leaves } {
  const leaves = Object.entries(recovered.model?.leaves ?? {}).filter(
    ([id]) => recovered.tools || started.includes(id) || results.has(id),
  );
  return leaves.length > 0 ? { leaves: Object.fromEntries(leaves) } : {};
}

/** The decision on a call of an open batch as it is now: a person may have approved it since. */
export function leaveNow(
  { loaded }: Pick<Step, 'loaded'>,
  batch: OpenBatch,
  call: ToolCall,
  tool: Tool | undefined,
): Leave | undefined {
  const before = own(batch.leaves ?? {}, call.id);
  const wait = batch.waits.find(({ kind, callId }) => kind === 'approval' && callId === call.id);
  const decision = wait && own(loaded.view.fence.decisions, wait.id);
  // Bound to the call as it would run. In a batch of thousands, only calls that a person has approved are read.
  if (!decision?.approved || wait?.id !== approvalId(loaded.key, batch.slot, call, tool)) return before;
  return { rule: 'guard', ...before, decision: 'allow', by: decision.by };
}

/** The person who denied a call of an open batch, or answered its question. An approval is recorded in the call's permission instead. */
export function saidBy(
  { loaded }: Pick<Step, 'loaded'>,
  { waits, saidTo = {} }: OpenBatch,
  call: ToolCall,
  at: number,
): PersonDecision | undefined {
  const wait = waits.find(({ kind, callId }) => kind === 'plan' || callId === call.id);
  const decision = wait && own(loaded.view.fence.decisions, wait.id);
  if (!wait || !decision) return own(saidTo, call.id);
  const { by, approved, changes } = decision;
  if (wait.kind === 'question') return { outcome: approved ? 'answered' : 'denied', by };
  const isApproved = approved && (wait.kind !== 'plan' || (changes?.includes(at + 1) ?? true));
  return isApproved ? undefined : { outcome: 'denied', by };
}

/** The permission that the decision on a plan gives to those of its calls that are approved. */
function leaveOfPlan({ loaded }: Pick<Step, 'loaded'>, { waits }: OpenBatch): Leave | undefined {
  const id = waits.find(({ kind }) => kind === 'plan')?.id;
  const decision = id === undefined ? undefined : own(loaded.view.fence.decisions, id);
  return decision?.approved ? { decision: 'allow', rule: 'plan', by: decision.by } : undefined;
}

/** Why calls of an open batch may no longer start, by call: a rule forbids them since, or their grant has ended. */
export async function refusedSince(
  step: Pick<Step, 'agent' | 'io' | 'loaded' | 'session' | 'tools'>,
  batch: OpenBatch,
  calls: readonly ToolCall[],
  proposes: boolean,
): Promise<ReadonlyMap<string, Leave & { readonly result: string }>> {
  const taken = Object.values(batch.leaves ?? {});
  if (!hasPolicies(step.agent) && !taken.some(({ grant }) => grant !== undefined)) return new Map();
  const { leaveUnder, whyNotNow } = await readLeave();
  const { agent, session, loaded, io, tools } = step;
  const now = io.clock.now();
  const { effects } = loaded.pinned.approvals;
  const leaveOf = await leaveUnder({ agent: agent ?? {}, session, effects, now, proposes });
  return new Map(
    calls.flatMap((call) => {
      const tool = toolOf(tools, call);
      const taken = leaveNow(step, batch, call, tool) ?? leaveOfPlan(step, batch);
      const why = whyNotNow(call, tool, taken, leaveOf, { now, revoked: loaded.view.fence.revoked });
      return why ? [[call.id, why] as const] : [];
    }),
  );
}

/**
 * The session's grants, including those that came with the decisions on its batch. A question of a guard cannot be answered
 * with a grant.
 */
export async function grantsGiven(
  { loaded, session, tools, io }: Pick<Step, 'loaded' | 'session' | 'tools' | 'io'>,
  batch: OpenBatch,
  calls: readonly ToolCall[],
): Promise<readonly Grant[]> {
  let grants = session.grants ?? [];
  for (const { id, callId } of batch.waits) {
    const decision = own(loaded.view.fence.decisions, id);
    const call = calls.find((one) => one.id === callId);
    if (!decision?.approved || !decision.grant || !call || own(batch.refused ?? {}, callId)) continue;
    const tool = toolOf(tools, call);
    const covered = (await readLeave()).coveredCall(call, tool);
    // Bound to the call as it would run: a decision on other arguments gives no grant.
    if (!covered || id !== approvalId(loaded.key, batch.slot, call, tool)) continue;
    const { grant, by, at } = decision;
    const given = { id, call: { ...covered, run: session.run?.id ?? '' }, grant, by, at };
    grants = withGrant(grants, given, io.clock.now());
  }
  return grants;
}
