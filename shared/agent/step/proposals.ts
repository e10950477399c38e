/**
 * Plan mode: what a batch proposes, how all of it is put to people, and what comes of it (docs/plan-mode.md). Read by the first
 * batch of a process that proposes something.
 */

import * as z from 'zod';
import { own } from '../plain/merge.ts';
import { callingOf } from '../session/made.ts';
import type { Proposed, ProposedCall } from '../session/proposals.ts';
import { callsOf } from '../session/reply.ts';
import { runOf, type Session } from '../session/session.ts';
import type { Change, FileChange, Made, ModelSlot, Slot, ToolCall, ToolResult } from '../session/slots.ts';
import type { OpenBatch, Wait } from '../session/waits.ts';
import { queuedIn } from '../session/waits.ts';
import { texts } from '../texts.ts';
import { notRun } from '../tools/execute.ts';
import { proposes } from '../tools/planning.ts';
import { type ChangesToShow, showChanges } from '../tools/show-changes.ts';
import type { Tool } from '../tools/tool.ts';
import { contentKey } from '../workspace/content.ts';
import { readWorkspaces } from '../workspace/open.ts';
import { treeOf } from '../workspace/tree.ts';
import { type BatchFiles, filesAfter, filesOf } from './batch-files.ts';
import type { Draft } from './conclude.ts';
import { keepSlots } from './keep.ts';
import { isAttended, isDeserted } from './leave.ts';
import type { Step } from './opened.ts';
import { type PlannedCall, toRun } from './plan-batch.ts';
import { changeDigest, planId } from './plan-id.ts';
import { tellCalls } from './tell-calls.ts';
import { cutNotice } from './waits.ts';

/** Changes of one plan: people read all of it, and HEAD says where each stands. */
const MAX_CHANGES = 50;
/** Changes of files in one plan. */
const MAX_FILES = 200;
/** Bytes of UTF-8 in which people are asked. It stands in HEAD, and in one frame of a WebSocket. */
const MAX_SHOWN = 16_000;

/** What the model reads. */
const said = {
  proposed: (n: number) =>
    `Proposed as change ${n} of your plan; nothing has changed yet. Go on as if it were done: you see files as they would be. When your plan is complete, end your turn: the user is shown all of it and decides.`,
  full: `Error [refused]: a plan has room for ${MAX_CHANGES} changes, and for ${MAX_FILES} changes of files. This one was not proposed. End your turn, so that the user decides on those that are.`,
  made: (paths: readonly string[]) => `Made as approved: ${shortened(paths)}.`,
  /** Not forced: somebody would lose what they have written. */
  changedSince: (paths: readonly string[]) =>
    `${shortened(paths)} is not as it was when this change was proposed, so the change was not made. Read it again, and propose the change anew if it is still wanted.`,
};

const shortened = (paths: readonly string[]): string =>
  `${paths.slice(0, 10).join(', ')}${paths.length > 10 ? ', …' : ''}`;

/** The results of a batch of which nothing counts yet, with the numbers of what they propose; and the tree as it would be then. */
export async function draftAfter(
  step: Step,
  session: Session,
  tree: string | undefined,
  ran: readonly ToolResult[],
  made: Made['by'] | undefined,
): Promise<BatchFiles> {
  // What the system runs to look at the draft proposes nothing.
  if (made) return { results: ran.map(({ changes: _, ...result }) => result), tree, changes: [] };
  const before = session.proposed ?? { files: 0, changes: [] };
  const queued = queuedIn(step.session.batch);
  // In the order in which they count: queued calls come after those that they have seen.
  const inOrder = [
    ...ran.filter(({ callId }) => !queued.has(callId)),
    ...ran.filter(({ callId }) => queued.has(callId)),
  ];
  const taken = new Set<string>();
  let files = before.files;
  for (const result of inOrder) {
    const more = result.changes?.length ?? 0;
    if (!isProposal(step.tools, result)) continue;
    if (before.changes.length + taken.size >= MAX_CHANGES || files + more > MAX_FILES) continue;
    files += more;
    taken.add(result.callId);
  }
  const fits = (result: ToolResult) => taken.has(result.callId) || !isProposal(step.tools, result);
  const bounded = ran.map((result) => (fits(result) ? result : tooMany(result)));
  if (taken.size === 0) return { results: bounded, tree, changes: [] };
  const after = await filesAfter(step, tree, bounded);

  const numbers = new Map([...taken].map((callId, i) => [callId, before.changes.length + i + 1]));
  const { warm } = await readWorkspaces();
  const at = new Map(
    await treeOf(filesOf(step, tree, warm)).then((files) =>
      [...files].map(([path, { hash }]) => [path, hash]),
    ),
  );
  const from = new Map<string, readonly FileChange[]>();
  for (const { callId } of inOrder) {
    const changes = after.results.find((result) => result.callId === callId)?.changes;
    if (!changes) continue;
    from.set(
      callId,
      changes.map((change) => withBase(change, at)),
    );
  }
  const results = after.results.map((result) => {
    const n = numbers.get(result.callId);
    const changes = from.get(result.callId);
    return n === undefined || result.outcome !== 'ok'
      ? result
      : numbered({ ...result, ...(changes && { changes }) }, n);
  });
  return { ...after, results };
}

/** A change with what it was made from. */
function withBase(change: FileChange, at: Map<string, string>): FileChange {
  const from = at.get(change.path);
  if (change.hash === undefined) at.delete(change.path);
  else at.set(change.path, change.hash);
  return { ...change, ...(from !== undefined && { from }) };
}

function isProposal(tools: readonly Tool[], { name, outcome, changes }: ToolResult): boolean {
  const tool = tools.find((one) => one.name === name);
  return outcome === 'ok' && proposes(tool, changes !== undefined);
}

const tooMany = ({ changes: _, json: __, ...result }: ToolResult): ToolResult => ({
  ...result,
  outcome: 'refused',
  content: said.full,
});

function numbered(result: ToolResult, proposed: number): ToolResult {
  const { content, json, blob } = result;
  const text = said.proposed(proposed);
  if (json && !blob) {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { ...result, proposed, content: JSON.stringify({ ...value, plan: text }) };
  }
  const { json: _, ...plain } = result;
  return { ...plain, proposed, content: `${content}\n[steploop] ${text}` };
}

/** The session with what a batch has proposed. */
export function withProposed(
  session: Session,
  slot: number,
  { results, tree }: Pick<BatchFiles, 'results' | 'tree'>,
): Session {
  const fresh = results.filter(({ proposed }) => proposed !== undefined);
  if (fresh.length === 0) return session;
  const before = session.proposed;
  // The numbers are in the order in which they count.
  const calls = fresh.toSorted((a, b) => (a.proposed ?? 0) - (b.proposed ?? 0));
  const proposed: Proposed = {
    ...(tree !== undefined && { tree }),
    files: (before?.files ?? 0) + fresh.reduce((sum, { changes = [] }) => sum + changes.length, 0),
    changes: [...(before?.changes ?? []), ...calls.map(({ callId }): ProposedCall => ({ slot, callId }))],
  };
  return { ...session, proposed };
}

/**
 * Puts all that is proposed to people, when the model is done: as the calls of a reply that the system makes, whose batch is opened
 * with one wait. From then on it is a batch like any other: what is approved runs as calls run (docs/adr/0020-plan-mode.md).
 *
 * @param draft the end of the run as it would be, with the model's last reply committed
 */
export async function putToPeople(step: Step, draft: Draft): Promise<Draft> {
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
      ...(files && { files }),
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
    // Where nobody is there to be asked, all of it is denied at once.
    expiresAt:
      now +
      (isDeserted(step, draft.session, isAttended(step)) ? 0 : pinned.approvals.expireAfterSeconds * 1000),
  };
  const batch: OpenBatch = { slot: n, waits: [wait], since: now };
  return { ...draft, session: { ...session, version: n + 1, batch }, ending: { kind: 'wait' } };
}

/** The calls that the system makes of them. Pure, so that whoever takes over makes the same ones. */
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

/** The calls that are proposed, under ids of their own, with what they make of files. */
async function changesProposed(step: Step, proposed: readonly ProposedCall[], n: number) {
  const { history, loaded, io } = step;
  const known = new Map(history.map((slot): [number, Slot] => [slot.n, slot]));
  // What is before the context, and what this step has written itself.
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
    const call = asked && callsOf(callingOf(asked)?.content ?? []).find(({ id }) => id === callId);
    if (!call)
      throw new Error(`session ${loaded.key.sessionId}: the change ${callId} of slot ${slot} is missing`);
    const after = slots.get(slot + 1);
    const result = after?.kind === 'tools' && after.results.find((one) => one.callId === callId);
    const files = result ? result.changes : undefined;
    return { call: { ...call, id: `change_${i + 1}_${n}` }, files };
  });
}

/** Whether a decision approves a change, by its number. */
const approves = (
  { approved, changes }: { approved: boolean; changes?: readonly number[] },
  n: number,
): boolean => approved && (changes?.includes(n) ?? true);

/** What is to be done with a change of a plan that has no result yet. */
export function decidedChange(
  step: Step,
  batch: OpenBatch,
  change: Change | undefined,
  call: ToolCall,
  at: number,
  ends: boolean,
): PlannedCall {
  const { tools, loaded } = step;
  const settled = (outcome: 'refused' | 'cancelled', why: string): PlannedCall => ({
    kind: 'settled',
    call,
    result: notRun(call, outcome, why),
  });
  const wait = planIn(batch);
  const decision = wait && own(loaded.view.fence.decisions, wait.id);
  if (wait && !decision)
    return ends ? settled('cancelled', texts.cancelled) : settled('refused', texts.approvalExpired);
  const by = decision
    ? approves(decision, at + 1)
      ? decision.by
      : undefined
    : own(batch.leaves ?? {}, call.id)?.by;
  if (by === undefined) return settled('refused', texts.denied(undefined));
  const tool = tools.find(({ name }) => name === call.name);
  if (!change || changeDigest(call, tool, change.files) !== change.digest)
    return settled('refused', texts.readOtherwise);
  const leave = { decision: 'allow', rule: 'plan', by } as const;
  if (change.files) return { ...toRun(call, making(step, call, change.files)), leave };
  // In their order, whatever they touch.
  const { touches: _, ...alone } = tool ?? {};
  return { ...toRun(call, tool && (alone as Tool)), leave };
}

const anything = z.unknown();

/** The wait for the decision on a plan. */
export const planIn = (batch: OpenBatch): Wait | undefined => batch.waits.find(({ kind }) => kind === 'plan');

/** What makes changes of files as they were approved: exactly these contents, and only in place of those that they were made from. */
function making({ loaded: { key }, io }: Step, { name }: ToolCall, files: readonly FileChange[]): Tool {
  return {
    ...{ name, description: '', effect: 'idempotent', drafts: true },
    input: anything,
    async run(_input, { services: { workspace } }) {
      const { warm } = await readWorkspaces();
      const blobs = warm(io.blobs, io.clock);
      const now = await Promise.all(files.map(({ path }) => workspace.stat(path)));
      const others = files.filter(({ from }, i) => now[i]?.hash !== from);
      if (others.length > 0) throw new Error(said.changedSince(others.map(({ path }) => path)));
      for (const { path, hash } of files) {
        if (hash === undefined) await workspace.remove(path);
        else {
          const bytes = await blobs.getBytes(contentKey(key, hash));
          if (!bytes) throw new Error(`The content of ${path} is missing.`);
          await workspace.write(path, bytes);
        }
      }
      return said.made(files.map(({ path }) => path));
    },
  };
}

/** What people have said to a plan. Its batch keeps it, where that is open again for the queue. */
export function noteOf(batch: OpenBatch, { view }: Step['loaded']): string | undefined {
  const wait = planIn(batch);
  return wait ? own(view.fence.decisions, wait.id)?.note : batch.note;
}

/** As many of the calls as may begin now: in their order, up to one that goes to the queue, after which the batch is closed again. */
export function upToQueued(calls: readonly PlannedCall[]): readonly PlannedCall[] {
  const first = calls.findIndex((planned) => planned.kind === 'run' && planned.queued);
  return first === -1 ? calls : calls.filter((planned, i) => i <= first || planned.kind === 'settled');
}
