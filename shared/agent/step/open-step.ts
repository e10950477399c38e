import type { AgUiEvent } from '../../contract/events.ts';
import type { Agent } from '../define/agent.ts';
import { type EventStream, openStream } from '../events/stream.ts';
import { builtInGuards } from '../guardrails/built-in.ts';
import type { AnyGuard, Stages } from '../guardrails/guard.ts';
import { mentionOutside } from '../outbound/tell.ts';
import type { Invocation, Ports } from '../ports.ts';
import { runOf, type Session } from '../session/session.ts';
import type { ModelSlot, Slot, StoredReply, ToolsSlot } from '../session/slots.ts';
import type { Tool } from '../tools/tool.ts';
import { controlsIn } from './controls.ts';
import { holdLease, type Lease } from './lease.ts';
import type { Loaded } from './load.ts';
import { ownGuards } from './rules.ts';
import { beginRun, nameOf, resumeRun } from './run.ts';

/** A claimed step: what it works on and with. */
export interface Step {
  readonly loaded: Loaded;
  /** The committed state, with a run begun when none was going. */
  readonly session: Session;
  /** Committed slots that the step has read: those of the model's context. What people read may have begun earlier. */
  readonly history: readonly Slot[];
  /** What an earlier owner wrote and did not commit: used instead of doing it again. */
  readonly adopted: { readonly model?: ModelSlot; readonly tools?: ToolsSlot };
  /** An earlier attempt at this step died. */
  readonly recovering: boolean;
  readonly guards: readonly AnyGuard[];
  readonly tools: readonly Tool[];
  readonly stream: EventStream;
  readonly lease: Lease;
  readonly invocation: Invocation;
  readonly io: Ports;
  /** Resolves when listeners outside have been told of the start, or that has failed. */
  readonly mentioned: Promise<void>;
  /** Resolves to the inbox events that are still not known to be marked done. */
  readonly marking: Promise<readonly string[]>;
  readonly stepName: string;
  /** Events to be told with the commit, after everything else of the step but its end. */
  readonly atCommit: AgUiEvent[];
}

/** Opens a claimed step: begins the run if need be, starts heartbeat and stream. Close both. */
export function openStep(
  loaded: Loaded,
  invocation: Invocation,
  leaseMs: number,
  agent: Agent | undefined,
  io: Ports,
): Step {
  const { key, view } = loaded;
  const guards = [...builtInGuards(loaded.pinned), ...ownGuards(agent?.guards ?? [], loaded.pinned)];
  const session = view.session.batch
    ? resumeRun(view.session, io.clock.now())
    : beginRun(view.session, guards, io.clock.now());
  const stream = openStream(key, view, io);
  const lease = holdLease(key, view, invocation, leaseMs, stream, io);
  const recovering = view.attempts > 1;
  return {
    loaded,
    session,
    history: loaded.slots.map(({ slot }) => slot).filter(({ n }) => n < session.version),
    adopted: adoptable(loaded, session),
    recovering,
    guards,
    tools: agent?.tools ?? [],
    stream,
    lease,
    invocation,
    io,
    mentioned: mentionOutside(session, io),
    marking: markDone(loaded, io),
    stepName: nameOf(session, view.attempts),
    atCommit: [],
  };
}

/** What guards see before any work. */
export function preflightOf(
  { loaded, session, io }: Step,
  abandon: boolean,
): Omit<Stages['preflight']['seen'], 'session'> {
  const { fence, attempts } = loaded.view;
  return {
    now: io.clock.now(),
    cancelled: fence.cancelGen > session.cancelSeen,
    attempts,
    abandoned: abandon,
    resources: io.resources.read(),
    asked: controlsIn(loaded, runOf(session).id),
  };
}

/** Slots at `version` that belong to this very step; those of a run that has ended meanwhile do not. */
function adoptable({ slots }: Loaded, session: Session): Step['adopted'] {
  const run = runOf(session);
  const find = (n: number) => slots.find(({ slot }) => slot.n === n)?.slot;
  if (session.batch) {
    const tools = find(session.version);
    return tools?.kind === 'tools' && tools.replyTo === batchReplyOf(session, slots)?.messageId
      ? { tools }
      : {};
  }
  const model = find(session.version);
  if (model?.kind !== 'model' || !model.reply || model.runId !== run.id || model.step !== run.steps + 1)
    return {};
  const tools = find(session.version + 1);
  if (tools?.kind !== 'tools' || tools.replyTo !== model.reply.messageId) return { model };
  return { model, tools };
}

/** The reply whose batch is open. */
export function batchReplyOf({ batch }: Session, slots: Loaded['slots']): StoredReply | undefined {
  const slot = slots.find((stored) => stored.slot.n === batch?.slot)?.slot;
  return slot?.kind === 'model' ? slot.reply : undefined;
}

async function markDone({ key, view }: Loaded, io: Ports): Promise<readonly string[]> {
  const { consumed } = view.fence;
  if (consumed.length === 0) return [];
  return io.inbox.markDone(key, consumed).then(
    () => [],
    () => consumed,
  );
}
