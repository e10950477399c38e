import type { AgUiEvent, Frame } from '../contract/events.ts';
import { controlsIn } from './controls.ts';
import type { Agent } from './define.ts';
import { builtInGuards } from './guardrails/built-in.ts';
import type { AnyGuard, Stages } from './guardrails/guard.ts';
import { slicesForNewRun } from './guardrails/judge.ts';
import { withoutLate } from './late-frames.ts';
import { holdLease, type Lease } from './lease.ts';
import type { Loaded } from './load.ts';
import { mentionOutside } from './outbound/tell.ts';
import type { Invocation, Ports } from './ports.ts';
import { closing, leftOpen } from './recover.ts';
import { ownGuards } from './rules.ts';
import { publicRunId, runIdAt } from './run-ids.ts';
import { newRun, type Session, withRun } from './session.ts';
import type { ModelSlot, Slot, StoredReply, ToolsSlot } from './slots.ts';
import { type EventStream, openStream, seqBefore } from './stream.ts';
import type { Tool } from './tools/define.ts';
import { toSnapshot } from './view.ts';
import { waitsForPeople } from './waits.ts';

/** A claimed step: what it works on and with. */
export interface Step {
  readonly loaded: Loaded;
  /** The committed state, with a run begun when none was going. */
  readonly session: Session;
  /** Committed slots of the context. */
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

/** Tells clients that the step begins; after an attempt that died, first what became of that. */
export async function tellStart(step: Step): Promise<void> {
  const { loaded, session, stream, stepName, recovering } = step;
  const dead = recovering ? await readDead(step) : [];
  const open = leftOpen(dead);
  const before = dead.at(-1);
  if (before) stream.follow(before.seq);
  for (const event of closing(open)) stream.emit(event);
  if (session !== loaded.view.session && !open.runStarted) {
    stream.emit({ type: 'RUN_STARTED', threadId: loaded.key.sessionId, runId: publicRunId(session) });
  }
  if (recovering) tellRecovery(step, dead);
  stream.emit({ type: 'STEP_STARTED', stepName });
}

/** The run of a session that has one. */
export function runOf(session: Session) {
  if (!session.run) throw new Error('the session has no run');
  return session.run;
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

/** Tells clients the conversation anew, after an attempt of which they may have seen anything. */
export function tellSnapshot(step: Step, slots: readonly Slot[], input: ModelSlot['input']): void {
  const messages = toSnapshot([...step.history, ...slots], input);
  const tooLarge = JSON.stringify(messages).length > MAX_SNAPSHOT;
  if (tooLarge) {
    // Told when what they are to read is there.
    const value = { why: 'the conversation is too long for one message: GET /sessions/{id}/messages' };
    step.atCommit.push({ type: 'CUSTOM', name: 'steploop.snapshot_needed', value });
  } else {
    step.stream.emit({ type: 'MESSAGES_SNAPSHOT', messages });
  }
}

/** Characters of a snapshot that still fits a 128 KB WebSocket message; larger ones are read over HTTP. */
const MAX_SNAPSHOT = 30_000;

function beginRun(session: Session, guards: readonly AnyGuard[], now: number): Session {
  if (session.run && !session.run.ended) return session;
  const guardrails = slicesForNewRun(guards, session.metadata.guardrails);
  return {
    ...session,
    metadata: { guardrails },
    run: { ...newRun, id: runIdAt(session.key, session.version), startedAt: now },
  };
}

/** The run goes on after its wait. Time that it waited for people is not its own (A18). */
function resumeRun(session: Session, now: number): Session {
  const { batch } = session;
  if (!batch || !waitsForPeople(session) || session.state !== 'waiting_for_input') return session;
  const { pausedMs, resumes } = runOf(session);
  const run = { pausedMs: pausedMs + Math.max(0, now - batch.since), resumes: resumes + 1 };
  return withRun({ ...session, state: 'running', reason: undefined }, run);
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

/** What attempts since the last commit have told, as every reader sees it. */
async function readDead({ loaded: { key, view }, io }: Step): Promise<Frame[]> {
  const { eventSeq } = view.session;
  return withoutLate(await io.log.read(key, eventSeq, MAX_DEAD_FRAMES, seqBefore(view.fence.epoch)));
}

function tellRecovery({ loaded, stream, adopted }: Step, dead: readonly Frame[]): void {
  const { session, attempts } = loaded.view;
  const messageIds = dead.flatMap(({ event }) => startedMessage(event));
  if (messageIds.length > 0) {
    const value = { messageIds, why: 'the attempt that said this died' };
    stream.emit({ type: 'CUSTOM', name: 'steploop.aborted', value });
  }
  const upTo = dead.at(-1)?.seq ?? session.eventSeq;
  const value = { attempt: attempts, adopted: (adopted.model ?? adopted.tools) !== undefined, upTo };
  stream.emit({ type: 'CUSTOM', name: 'steploop.recovered', value });
}

/** Frames that one step's dead attempts can have logged, and more. */
const MAX_DEAD_FRAMES = 10_000;

const startedMessage = (event: AgUiEvent): string[] =>
  (event.type === 'TEXT_MESSAGE_START' && event.role === 'assistant') ||
  event.type === 'REASONING_MESSAGE_START'
    ? [event.messageId]
    : [];

async function markDone({ key, view }: Loaded, io: Ports): Promise<readonly string[]> {
  const { consumed } = view.fence;
  if (consumed.length === 0) return [];
  return io.inbox.markDone(key, consumed).then(
    () => [],
    () => consumed,
  );
}

/** Unique in its run, also when a step is tried again. */
function nameOf(session: Session, attempts: number): string {
  const { steps, retries, fallback } = runOf(session);
  const { batch } = session;
  const step = batch
    ? `step ${steps}, ${waitsForPeople(session) ? 'decided' : 'results'}`
    : `step ${steps + 1}`;
  const again = [
    ...(fallback ? [`fallback ${fallback}`] : []),
    ...(retries > 0 ? [`retry ${retries}`] : []),
    ...(attempts > 1 ? [`attempt ${attempts}`] : []),
  ];
  return [step, ...again].join(', ');
}
