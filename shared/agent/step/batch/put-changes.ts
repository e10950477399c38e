import { defined } from '../../plain/defined.ts';
import { callingOf } from '../../session/made.ts';
import type { ProposedCall } from '../../session/proposals.ts';
import { callsOf } from '../../session/reply.ts';
import { runOf, type Session } from '../../session/session.ts';
import type { Change, ModelSlot, Slot, ToolCall } from '../../session/slots.ts';
import type { OpenBatch, Wait } from '../../session/waits.ts';
import { type ChangesToShow, showChanges } from '../../tools/show-changes.ts';
import { readWorkspaces } from '../../workspace/open.ts';
import type { Draft } from '../draft.ts';
import { tellCalls } from '../end/tell-calls.ts';
import { keepSlots } from '../open/keep-slots.ts';
import type { Step, WritingPart } from '../open/step-context.ts';
import { isAttended, isDeserted } from './permission.ts';
import { changeDigest, planId } from './plan-id.ts';
import { cutNotice } from './waits.ts';

/** Bytes of UTF-8 of the question to people. It is part of HEAD and of one WebSocket frame. */
const MAX_SHOWN = 16_000;

/**
 * Puts all proposed changes to people when the model is done. The system makes a reply with them as calls, and opens its batch
 * with one wait. From then on it is a batch like any other: approved changes run as calls do (docs/adr/0020-plan-mode.md).
 *
 * @param draft the end of the run as it would be, with the model's last reply committed
 */
export async function putToPeople(
  step: WritingPart & Pick<Step, 'agent' | 'stream' | 'tools'>,
  draft: Draft,
): Promise<Draft> {
  const { loaded, io, tools } = step;
  const { key, pinned } = loaded;
  const { proposed, ...session } = draft.session;
  if (!proposed) return draft;
  const n = session.version;
  const toolOf = ({ name }: ToolCall) => tools.find((tool) => tool.name === name);
  const found = await changesProposed(step, proposed.changes, n);
  const changes = found.map(
    ({ call, files }): Change => ({
      callId: call.id,
      digest: changeDigest(call, toolOf(call), files),
      ...defined({ files }),
    }),
  );
  const calls = found.map(({ call }) => call);
  const slot = slotOf(session, calls, changes);
  await keepSlots(step, [slot]);
  tellCalls(step, slot, calls);

  const id = planId(key, n, changes);
  const { warm } = await readWorkspaces();
  const toShow: ChangesToShow = { key, calls, changes, tools, blobs: warm(io.blobs, io.clock) };
  const { message, cut } = await showChanges(toShow, MAX_SHOWN);
  const now = io.clock.now();
  const wait: Wait = {
    id,
    callId: calls[0]?.id ?? '',
    tool: 'plan',
    kind: 'plan',
    changes: calls.map(({ name }) => name),
    message: cut ? `${cutNotice(key, id)}\n${message}` : message,
    // If no person can be asked, all changes are denied at once.
    expiresAt:
      now +
      (isDeserted(step, draft.session, isAttended(step)) ? 0 : pinned.approvals.expireAfterSeconds * 1000),
  };
  const batch: OpenBatch = { slot: n, waits: [wait], since: now };
  return { ...draft, session: { ...session, version: n + 1, batch }, ending: { kind: 'wait' } };
}

/** The calls that the system makes of the changes. Pure, so that a worker that takes over makes the same ones. */
function slotOf(session: Session, calls: readonly ToolCall[], changes: readonly Change[]): ModelSlot {
  const { version: n, workspace } = session;
  const run = runOf(session);
  const content = calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }));
  return {
    ...{ kind: 'model', n, runId: run.id, step: run.steps + 1, input: [], verdicts: [] },
    made: { by: 'plan', messageId: `${run.id}-${n}-plan`, content, changes },
    ...(workspace && { workspace }),
  };
}

/** The proposed calls, under ids of their own, with the file contents that they make. */
async function changesProposed(
  step: Pick<Step, 'history' | 'io' | 'loaded'>,
  proposed: readonly ProposedCall[],
  n: number,
) {
  const { history, loaded, io } = step;
  const known = new Map(history.map((slot): [number, Slot] => [slot.n, slot]));
  // Slots before the context, and those that this step has written itself.
  const missing = proposed.flatMap(({ slot }) => [slot, slot + 1].filter((one) => !known.has(one)));
  const read =
    missing.length > 0
      ? await io.sessions.slots(loaded.key, Math.min(...missing), {
          below: Math.max(...missing) + 1,
          bytes: Number.POSITIVE_INFINITY,
        })
      : [];
  const slots = new Map([...known, ...read.map(({ slot }): [number, Slot] => [slot.n, slot])]);
  return proposed.flatMap(({ slot, callId }, i) => {
    const asked = slots.get(slot);
    const call = asked && callsOf(callingOf(asked)).find(({ id }) => id === callId);
    if (!call)
      throw new Error(`session ${loaded.key.sessionId}: the change ${callId} of slot ${slot} is missing`);
    const after = slots.get(slot + 1);
    const result = after?.kind === 'tools' && after.results.find((one) => one.callId === callId);
    const files = result ? result.changes : undefined;
    return { call: { ...call, id: `change_${i + 1}_${n}` }, files };
  });
}
