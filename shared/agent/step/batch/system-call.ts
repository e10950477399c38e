import { judge } from '../../guardrails/judge.ts';
import { defined } from '../../plain/defined.ts';
import type { InboxEvent } from '../../ports/inbox.ts';
import { charge } from '../../session/charge.ts';
import { callsOf } from '../../session/reply.ts';
import { runOf } from '../../session/session.ts';
import type { Block, ModelSlot } from '../../session/slots.ts';
import { storedTiming } from '../../session/timing.ts';
import type { Draft } from '../draft.ts';
import { lostWithout } from '../model/model-call.ts';
import { preflightOf } from '../model/preflight.ts';
import { waitingInput } from '../model/turn.ts';
import { isMoot } from '../open/controls.ts';
import { tellSnapshot } from '../open/snapshot.ts';
import type { Step } from '../open/step-context.ts';
import { adoptedTiming } from '../open/timing.ts';
import { runTools } from './run-tools.ts';

/**
 * Makes the call that is due: a batch of its own, which no model has asked for and which costs no step of the run. It runs as
 * any batch does: starts are recorded, queued calls are waited for, and a worker that adopts it continues it. Guards that count
 * model calls and their cost do not apply.
 */
export async function makeCalls(step: Step, abandon: boolean): Promise<Draft> {
  const { session, guards, recovered, loaded } = step;
  const urgent = guards.filter((guard) => guard.urgent);
  const admitted = judge(urgent, 'preflight', session, preflightOf(step, abandon));
  const halt = admitted.verdict?.kind === 'halt' ? admitted.verdict : undefined;
  const kept = recovered.model
    ? recovered.tools
      ? [recovered.model, recovered.tools]
      : [recovered.model]
    : [];
  if (kept.length > 0 || step.isRetry) tellSnapshot(step, kept, []);
  const isNew = (event: InboxEvent) => !isMoot(event, runOf(session).id);
  // A control for an earlier run would otherwise make the run continue when its answer is accepted.
  const incorporated = loaded.inbox.flatMap((event) => (isNew(event) ? [] : [event.id]));
  if (halt && !recovered.model) {
    const { spoken } = admitted;
    return { session: admitted.session, incorporated, spoken, events: [], ending: { kind: 'halt', halt } };
  }
  // If there were messages, attempts that did not see the call of an owner that was presumed dead have asked the model.
  const mayHaveAsked = recovered.model !== undefined && loaded.inbox.some(isNew);
  const lost = mayHaveAsked ? lostWithout(step, waitingInput(step)).lost : undefined;
  const before = lost ? charge(admitted.session, lost) : admitted.session;
  const made = recovered.model?.made ?? madeBy(step);
  const slot: ModelSlot = {
    ...{ kind: 'model', n: session.version, runId: runOf(session).id, step: runOf(session).steps + 1 },
    ...{ input: [], made, verdicts: admitted.spoken },
    ...defined({ lost }),
    ...(recovered.model
      ? adoptedTiming(recovered.model.at, loaded.timing)
      : { at: storedTiming(loaded.timing) }),
    ...(session.workspace && { workspace: session.workspace }),
  };
  return runTools(step, { session: before, calls: callsOf(made), slot, incorporated, events: [] }, halt);
}

/**
 * The call that is due, in the form in which a reply would ask for it. Its id is derived from its slot, so a worker that makes
 * it again makes the same one.
 */
function madeBy({ session, loaded }: Pick<Step, 'session' | 'loaded'>): NonNullable<ModelSlot['made']> {
  const { id: runId, due } = runOf(session);
  if (!due) throw new Error(`session ${loaded.key.sessionId}: no call is due`);
  const id = `${runId}-${session.version}`;
  const call: Block = { type: 'tool_use', id, name: due.tool, input: due.input };
  return { by: 'check', messageId: `${id}-${loaded.view.fence.epoch}`, content: [call] };
}
