/**
 * Plays a session of an agent without a model, without AWS and without waiting: the real loop on stores in memory, a
 * script in the model's place, and a clock that goes as fast as there is something to do.
 */

import type { Agent } from '../shared/agent/define/agent.ts';
import type { AnswerOf } from '../shared/agent/define/answer.ts';
import { answerGranted, type LateAnswer } from '../shared/agent/doors/answer.ts';
import { runCall } from '../shared/agent/doors/call.ts';
import { decide } from '../shared/agent/doors/decide.ts';
import { toSnapshot } from '../shared/agent/events/snapshot.ts';
import type { ModelRequest } from '../shared/agent/ports.ts';
import { type Caller, callerFacts } from '../shared/agent/session/caller.ts';
import { callsOf } from '../shared/agent/session/reply.ts';
import type { ToolCall, ToolResult } from '../shared/agent/session/slots.ts';
import type { Spoken } from '../shared/agent/session/verdict.ts';
import { isForPeople, type Wait } from '../shared/agent/session/waits.ts';
import { separator, type ToolSource } from '../shared/agent/tools/source.ts';
import type { Tool, ToolContext } from '../shared/agent/tools/tool.ts';
import type { AgUiEvent, SnapshotMessage } from '../shared/contract/events.ts';
import type { Reason, State, Totals } from '../shared/contract/session.ts';
import type { Internet } from '../shared/memory/egress.ts';
import { type AgentWorld, agentWorld } from './agent-world.ts';
import { killAfter, killBefore } from './faults.ts';
import { type Files, filesOf } from './files.ts';
import { type RehearsedMemory, rememberBefore, rememberedNow } from './remembered.ts';
import { type Answering, answeringModel, type Scripted, scriptedModel } from './scripted-model.ts';

/** What is played. */
export interface Rehearsal {
  /** What people say. A further message is said when the session has come to rest. */
  readonly user: string | readonly string[];
  /** Who says it, as their tools see them (`context.user`): `user:rehearsal` with a JWT without roles when absent. */
  readonly caller?: Partial<Omit<Caller, 'tenant'>>;
  /**
   * What the model answers, in order: `says`, `calls`, `fails`, or a function of what it is asked. A function in the list's place answers
   * every request, and is waited for in real time: it may ask a real model.
   */
  readonly model: readonly Scripted[] | Answering;
  /** What stands in for tools, by the name that the model calls: gets the parsed input, and answers or throws as the tool would. */
  readonly tools?: Readonly<Record<string, FakeTool>>;
  /** Values for `context.setting(name)` and `context.secret(name)`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** What earlier sessions have saved: of the one who asks, and of the tenant. Nothing when absent. */
  readonly memory?: Partial<RehearsedMemory>;
  /** What answers `context.services.fetch`: a function from a request to a response. Nobody does when absent. */
  readonly internet?: Internet;
  /** Files of the session's workspace when it begins, by their paths: `{ 'src/a.ts': '…' }`. None when absent. */
  readonly workspace?: Files;
  /**
   * Decides what people are asked: `true` and `false` for an approval, a text for the answer to a question. `undefined`, and
   * having none, leaves it open: then the rehearsal ends while the session waits.
   */
  readonly decides?: (wait: Wait) => boolean | string | undefined;
  /**
   * Answers calls that are answered later (`context.later`): `{ result }` or `{ error }`, as would be posted to the URL that the
   * tool has given out. `undefined`, and having none, leaves them open.
   */
  readonly answersLater?: (wait: Wait) => LateAnswer | undefined;
  /** Where the worker is killed. See {@link rehearseCrashes}. */
  readonly crash?: CrashPoint;
}

/** Stands in for a tool: gets the parsed input, and answers or throws as the tool would. */
// biome-ignore lint/suspicious/noExplicitAny: what a fake takes is its tool's affair
export type FakeTool = (input: any, context: ToolContext<string, string>) => unknown;

/** A place where a worker dies: before or after its nth call to the outside (a store, the queue, the model, a tool), from 1. */
export interface CrashPoint {
  readonly nth: number;
  readonly when: 'before' | 'after';
}

/** What came of it. */
export interface Rehearsed<Answer = unknown> {
  readonly state: State;
  readonly reason?: Reason;
  /** The last answer of the run that ended last. */
  readonly answer?: string;
  /** What the run that ended last answered with, of an agent that declares it (`defineAgent({ answer })`). */
  readonly object?: Answer;
  /** What people see of the session. */
  readonly transcript: readonly SnapshotMessage[];
  /** What a client is told, from the beginning. */
  readonly events: readonly AgUiEvent[];
  /** What guards have said, in order. */
  readonly verdicts: readonly Spoken[];
  /** The calls of the model with what came of them, in order. */
  readonly calls: readonly RehearsedCall[];
  /** Those of the system, that no model has asked for: of what gates want verified, and of approved plans. */
  readonly made: readonly RehearsedCall[];
  /** Each time that a tool's code, or its fake's, has begun. */
  readonly starts: readonly ToolStart[];
  /** What the model was asked, each time. */
  readonly requests: readonly ModelRequest[];
  /** What is remembered at the end, of the one who asks and of the tenant, oldest first. */
  readonly memory: RehearsedMemory;
  /** The files of the workspace at the end, as text, by their paths. */
  readonly files: Readonly<Record<string, string>>;
  /** Answers of the script that nobody asked for. */
  readonly left: number;
  /** Committed model calls. */
  readonly steps: number;
  /** Tokens, and USD by the agent's `model.price`; without one nothing costs anything here. */
  readonly totals: Totals;
  /** Calls to the outside: {@link CrashPoint.nth} goes up to this. */
  readonly outside: number;
}

/** A call with what came of it. */
export type RehearsedCall = ToolCall & Pick<ToolResult, 'outcome' | 'content'>;

/** That a tool's code has begun. */
export interface ToolStart {
  readonly name: string;
  readonly input: unknown;
  readonly idempotencyKey: string;
}

/** Real ms that a tool which waits for something real is waited for, before the clock goes on. */
const REAL_MS = 2_000;
/** Turns after which a session that does not come to rest is given up. */
const MOST_TURNS = 2_000;

/**
 * Plays a session to its rest. Rejects when the model is asked more often than its script says, and with what the core
 * itself throws.
 *
 * @example
 * const run = await rehearse(support, {
 *   user: 'Where is order 7?',
 *   model: [calls(['lookup_order', { orderId: '7' }]), says('It is on its way.')],
 *   tools: { lookup_order: () => ({ state: 'sent' }) },
 * });
 * expect(run.answer).toBe('It is on its way.');
 */
export async function rehearse<A extends Agent>(
  agent: A,
  rehearsal: Rehearsal,
): Promise<Rehearsed<AnswerOf<A>>> {
  const {
    user,
    model: script,
    settings,
    secrets,
    internet,
    workspace,
    crash,
    decides = () => undefined,
  } = rehearsal;
  const { answersLater = () => undefined } = rehearsal;
  const { subject = 'user:rehearsal', kind = 'jwt', roles, channel = 'http' } = rehearsal.caller ?? {};
  const starts: ToolStart[] = [];
  const going = new Set<Promise<unknown>>();
  const model =
    typeof script === 'function'
      ? answeringModel((asked) => counted(going, Promise.resolve(script(asked))))
      : scriptedModel(...script);
  const realTime = () => aMomentFor(going);
  const world: AgentWorld = agentWorld(
    {
      ...agent,
      tools: agent.tools.map((tool) => ({
        ...tool,
        run: watched(tool.name, rehearsal.tools?.[tool.name] ?? tool.run, starts, going, () => world),
      })),
      toolSources: agent.toolSources.map((source) =>
        watchedSource(source, rehearsal.tools, starts, going, () => world),
      ),
    },
    model,
    { settings, secrets, internet, workspace, realTime },
  );
  const by = { tenant: world.key.tenant, subject };
  await rememberBefore(rehearsal.memory ?? {}, by, world.memories, world.clock.now());
  if (crash) world.faults.atAny(crash.when === 'before' ? killBefore : killAfter, crash.nth);
  for (const text of typeof user === 'string' ? [user] : user) {
    await world.say(text, undefined, subject, callerFacts({ kind, ...(roles && { roles }) }, channel));
    await comeToRest(world, decides, answersLater, realTime);
  }
  const memory = await rememberedNow(by, world.memories);
  const came: Rehearsed = { ...(await resultOf(world, model.requests, model.left(), starts)), memory };
  // The agent's schema has read it.
  return came as Rehearsed<AnswerOf<A>>;
}

/**
 * Plays the rehearsal once as it is, then once for every place where a worker can die in it, and answers what came of each.
 * A tool is safe when its `starts` say so: `once` tools start at most once for each `idempotencyKey`.
 */
export async function rehearseCrashes<A extends Agent>(
  agent: A,
  rehearsal: Omit<Rehearsal, 'crash'>,
): Promise<readonly (Rehearsed<AnswerOf<A>> & { readonly crash: CrashPoint })[]> {
  const { outside } = await rehearse(agent, rehearsal);
  const played: (Rehearsed<AnswerOf<A>> & { crash: CrashPoint })[] = [];
  for (let nth = 1; nth <= outside; nth++)
    for (const when of ['before', 'after'] as const) {
      const crash = { nth, when };
      played.push({
        ...(await rehearse(agent, { ...rehearsal, model: repeating(rehearsal.model), crash })),
        crash,
      });
    }
  return played;
}

/** The script for a model that is asked again after a crash: the same request has the same reply, and there is always one. */
function repeating(script: Rehearsal['model']): Scripted[] | Answering {
  const listed = typeof script === 'function' ? [script] : script;
  const left = [...listed];
  const known = new Map<string, Scripted>();
  const answer: Answering = async (asked) => {
    const request = JSON.stringify(asked.request.messages);
    const scripted = known.get(request) ?? left.shift() ?? listed.at(-1);
    if (!scripted) throw new Error('the script has no answers');
    const outcome = typeof scripted === 'function' ? await scripted(asked) : scripted;
    // What failed is answered otherwise when it is tried again.
    if (outcome.kind === 'reply') known.set(request, outcome);
    return outcome;
  };
  return typeof script === 'function' ? answer : Array.from({ length: MOST_TURNS }, () => answer);
}

/** What runs a tool, or its fake, with a note of each start, and as a call that a worker can die at. */
function watched(
  name: string,
  run: FakeTool,
  starts: ToolStart[],
  going: Set<Promise<unknown>>,
  world: () => AgentWorld,
): Tool['run'] {
  return (input, context) =>
    world().faults.around(`tool.${name}`, () => {
      starts.push({ name, input, idempotencyKey: context.idempotencyKey });
      return counted(going, Promise.resolve(run(input, context)));
    });
}

/** A source whose listing, and whose tools, are calls that a worker can die at. */
function watchedSource(
  source: ToolSource,
  fakes: Rehearsal['tools'],
  starts: ToolStart[],
  going: Set<Promise<unknown>>,
  world: () => AgentWorld,
): ToolSource {
  return {
    ...source,
    list: (context) =>
      world().faults.around(`source.${source.name}`, async () =>
        counted(going, Promise.resolve(source.list(context))),
      ),
    get(tool) {
      const name = `${source.name}${separator}${tool.name}`;
      const run: FakeTool = (input, context) => (fakes?.[name] ?? source.get(tool))(input, context);
      return watched(name, run, starts, going, world);
    },
  };
}

async function counted<T>(going: Set<Promise<unknown>>, result: Promise<T>): Promise<T> {
  going.add(result);
  try {
    return await result;
  } finally {
    going.delete(result);
  }
}

/** Lets what is real go on for a moment: the clock of a rehearsal must not run away from a tool that reads a file. */
function aMomentFor(going: ReadonlySet<Promise<unknown>>): Promise<boolean> {
  if (going.size === 0) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), REAL_MS);
    const goOn = () => {
      clearTimeout(timer);
      resolve(true);
    };
    void Promise.race([...going]).then(goOn, goOn);
  });
}

/** Steps, queued calls and decisions, and then the clock, until nothing is left to do. */
async function comeToRest(
  world: AgentWorld,
  decides: NonNullable<Rehearsal['decides']>,
  answersLater: NonNullable<Rehearsal['answersLater']>,
  realTime: () => Promise<boolean>,
): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    if (await world.step()) continue;
    if (await runQueuedCall(world, realTime)) continue;
    if (await decideOne(world, decides)) continue;
    if (await answerOne(world, answersLater)) continue;
    const at = nextMoment(world);
    if (at === undefined) return;
    await world.clock.advance(at - world.clock.now());
  }
  throw new Error(`the session is not at rest after ${MOST_TURNS} turns`);
}

async function runQueuedCall(world: AgentWorld, realTime: () => Promise<boolean>): Promise<boolean> {
  const delivery = world.queue.calls.receive();
  if (!delivery) return false;
  const { host, ports } = world.faults.host(world);
  const invocation = {
    id: world.ids.next(),
    message: delivery.handle,
    deadlineAt: world.clock.now() + 900_000,
  };
  let end: 'ack' | 'retry' | { error: unknown } | undefined;
  runCall(delivery.wake, invocation, world.agentOf, ports).then(
    (settlement) => {
      end = settlement;
    },
    (error: unknown) => {
      end = { error };
    },
  );
  await world.clock.advance(0);
  while (!end && host.running) if (!(await realTime())) await world.clock.advance(100);
  if (typeof end === 'object') throw end.error;
  if (end === 'ack') world.queue.calls.delete(delivery.handle);
  return true;
}

async function decideOne(world: AgentWorld, decides: NonNullable<Rehearsal['decides']>): Promise<boolean> {
  const view = await world.sessions.read(world.key);
  for (const wait of view?.session.batch?.waits ?? []) {
    if (!isForPeople(wait) || !view?.fence.pending.includes(wait.id)) continue;
    const decided = decides(wait);
    if (decided === undefined) continue;
    const decision = typeof decided === 'string' ? { approved: true, note: decided } : { approved: decided };
    const outcome = await decide(world.key, wait.id, { ...decision, by: 'user:rehearsal' }, world);
    if (outcome === 'decided') return true;
  }
  return false;
}

async function answerOne(
  world: AgentWorld,
  answersLater: NonNullable<Rehearsal['answersLater']>,
): Promise<boolean> {
  const view = await world.sessions.read(world.key);
  for (const wait of view?.session.batch?.waits ?? []) {
    if (wait.kind !== 'callback' || !view?.fence.pending.includes(wait.id)) continue;
    const answer = answersLater(wait);
    const grant = [...world.table.grants.values()].find(({ id }) => id === wait.id);
    if (answer && grant && (await answerGranted(grant, answer, world)) === 'taken') return true;
  }
  return false;
}

function nextMoment({ queue }: AgentWorld): number | undefined {
  const moments = [queue.nextVisibleAt(), queue.calls.nextVisibleAt()].filter((at) => at !== undefined);
  return moments.length > 0 ? Math.min(...moments) : undefined;
}

async function resultOf(
  world: AgentWorld,
  requests: readonly ModelRequest[],
  left: number,
  starts: readonly ToolStart[],
): Promise<Omit<Rehearsed, 'memory'>> {
  const [{ session }, slots, events] = await Promise.all([world.view(), world.slots(), world.events()]);
  const transcript = toSnapshot(slots);
  const results = new Map(
    slots.flatMap((slot) =>
      slot.kind === 'tools' ? slot.results.map((result) => [result.callId, result] as const) : [],
    ),
  );
  const callsIn = (by: 'reply' | 'made') =>
    slots
      .flatMap((slot) => (slot.kind === 'model' ? callsOf(slot[by]) : []))
      .flatMap((call): RehearsedCall[] => {
        const result = results.get(call.id);
        return result ? [{ ...call, outcome: result.outcome, content: result.content }] : [];
      });
  return {
    state: session.state,
    ...(session.reason && { reason: session.reason }),
    ...answerIn(events, transcript),
    transcript,
    events,
    verdicts: slots.flatMap(({ verdicts }) => verdicts),
    calls: callsIn('reply'),
    made: callsIn('made'),
    starts,
    requests,
    files: await filesOf(world.key, session, world),
    left,
    steps: slots.filter((slot) => slot.kind === 'model' && slot.reply).length,
    totals: session.totals,
    outside: world.faults.total(),
  };
}

/** The joined one of an answer that was cut and gone on with, else the last that the assistant has said. */
function answerIn(
  events: readonly AgUiEvent[],
  transcript: readonly SnapshotMessage[],
): Pick<Rehearsed, 'answer' | 'object'> {
  const ended = events.findLast((event) => event.type === 'RUN_FINISHED');
  const result = events
    .flatMap((event) => (event.type === 'CUSTOM' && event.name === 'steploop.ended' ? [event.value] : []))
    .at(-1);
  const last = transcript.findLast((message) => message.role === 'assistant');
  const answer = ended?.result.answer?.text ?? (last?.role === 'assistant' ? last.content : undefined);
  return {
    ...(answer !== undefined && { answer }),
    ...(result?.object !== undefined && { object: result.object }),
  };
}
