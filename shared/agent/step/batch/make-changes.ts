import * as z from 'zod';
import { own } from '../../plain/merge.ts';
import { toolOf } from '../../session/facts.ts';
import type { Change, FileChange, ToolCall } from '../../session/slots.ts';
import type { OpenBatch, Wait } from '../../session/waits.ts';
import { texts } from '../../texts.ts';
import { notRun } from '../../tools/execute.ts';
import type { Tool } from '../../tools/tool.ts';
import { contentKey } from '../../workspace/content.ts';
import { readWorkspaces } from '../../workspace/open.ts';
import type { Step } from '../open/step-context.ts';
import { changeDigest } from './plan-id.ts';
import { type PlannedCall, toRun } from './planned-call.ts';

/** Texts that the model reads about an approved change. */
const said = {
  made: (paths: readonly string[]) => `Made as approved: ${shortened(paths)}.`,
  /** The change is not forced, because that would overwrite other edits. */
  changedSince: (paths: readonly string[]) =>
    `${shortened(paths)} is not as it was when this change was proposed, so the change was not made. Read it again, and propose the change again if it is still wanted.`,
};

const shortened = (paths: readonly string[]): string =>
  `${paths.slice(0, 10).join(', ')}${paths.length > 10 ? ', …' : ''}`;

/** Whether a decision approves the change with this number. */
const approves = (
  { approved, changes }: { approved: boolean; changes?: readonly number[] },
  n: number,
): boolean => approved && (changes?.includes(n) ?? true);

/** Handles a change of a plan that has no result yet. */
export function decidedChange(
  step: Pick<Step, 'io' | 'loaded' | 'tools'>,
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
  const tool = toolOf(tools, call);
  if (!change || changeDigest(call, tool, change.files) !== change.digest)
    return settled('refused', texts.readOtherwise);
  const leave = { decision: 'allow', rule: 'plan', by } as const;
  if (change.files) return { ...toRun(call, making(step, call, change.files)), leave };
  // Approved changes run in their order, whatever they touch.
  const { touches: _, ...alone } = tool ?? {};
  return { ...toRun(call, tool && (alone as Tool)), leave };
}

const anything = z.unknown();

/** The wait for the decision on a plan. */
const planIn = (batch: OpenBatch): Wait | undefined => batch.waits.find(({ kind }) => kind === 'plan');

/** A tool that makes file changes as they were approved: exactly these contents, and only if each file is still as the change found it. */
function making(
  { loaded: { key }, io }: Pick<Step, 'loaded' | 'io'>,
  { name }: ToolCall,
  files: readonly FileChange[],
): Tool {
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

/** The note that people wrote with their decision on a plan. If the batch is open again for the queue, the batch holds it. */
export function noteOf(batch: OpenBatch, { view }: Step['loaded']): string | undefined {
  const wait = planIn(batch);
  return wait ? own(view.fence.decisions, wait.id)?.note : batch.note;
}

/** The calls that may begin now: in order, up to the first that goes to the queue. After that call the batch is closed again. */
export function upToQueued(calls: readonly PlannedCall[]): readonly PlannedCall[] {
  const first = calls.findIndex((planned) => planned.kind === 'run' && planned.queued);
  return first === -1 ? calls : calls.filter((planned, i) => i <= first || planned.kind === 'settled');
}
