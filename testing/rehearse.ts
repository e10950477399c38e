/**
 * Plays a session of an agent without a model, without AWS and without waiting: the real loop on stores in memory, a
 * script in the model's place, and virtual time, which skips waits.
 */

import type { Agent } from '../shared/agent/define/agent.ts';
import type { AnswerOf } from '../shared/agent/define/answer.ts';
import { answerGranted, type LateAnswer } from '../shared/agent/entrypoints/answer.ts';
import { runCall } from '../shared/agent/entrypoints/call.ts';
import { decide } from '../shared/agent/entrypoints/decide.ts';
import { sweep } from '../shared/agent/entrypoints/sweep.ts';
import { toSnapshot } from '../shared/agent/events/snapshot.ts';
import { defined } from '../shared/agent/plain/defined.ts';
import type { ModelRequest } from '../shared/agent/ports/provider.ts';
import { type Caller, callerFacts } from '../shared/agent/session/caller.ts';
import { callsOf } from '../shared/agent/session/reply.ts';
import type { ToolCall, ToolResult } from '../shared/agent/session/slots.ts';
import type { Spoken } from '../shared/agent/session/verdict.ts';
import { firstExpiry, isForPeople, type Wait } from '../shared/agent/session/waits.ts';
import { separator, type ToolSource } from '../shared/agent/tools/source.ts';
import type { Tool, ToolContext } from '../shared/agent/tools/tool.ts';
import type { AgUiEvent, SnapshotMessage } from '../shared/contract/events.ts';
import type { Reason, State, Totals } from '../shared/contract/session.ts';
import type { Internet } from '../shared/memory/egress.ts';
import { priceOf } from '../shared/models/prices.ts';
import { skillsIn } from '../shared/skills/project.ts';
import { type AgentWorld, agentWorld } from './agent-world.ts';
import { killAfter, killBefore } from './faults.ts';
import { type Files, filesOf } from './files.ts';
import { type RehearsedMemory, rememberBefore, rememberedNow } from './remembered.ts';
import { type Answering, answeringModel, type Scripted, scriptedModel } from './scripted-model.ts';

/** The session to play. */
export interface Rehearsal {
  /** The user's messages. Each further message is sent when the session has come to rest. */
  readonly user: string | readonly string[];
  /** The caller, as tools see it (`context.user`): `user:rehearsal` with a JWT without roles if absent. */
  readonly caller?: Partial<Omit<Caller, 'tenant'>>;
  /**
   * The model's answers, in order: `says`, `calls`, `fails`, or a function of the request. A single function instead of
   * a list answers every request, and is awaited in real time: it may ask a real model.
   */
  readonly model: readonly Scripted[] | Answering;
  /** Fakes for tools, by the name that the model calls. A fake gets the parsed input, and answers or throws as the tool would. */
  readonly tools?: Readonly<Record<string, FakeTool>>;
  /** Values for `context.setting(name)` and `context.secret(name)`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Facts that earlier sessions have saved: the caller's, and the tenant's. None if absent. */
  readonly memory?: Partial<RehearsedMemory>;
  /** Answers `context.services.fetch`: a function from a request to a response. If absent, requests fail. */
  readonly internet?: Internet;
  /** Files of the session's workspace at the start, by path: `{ 'src/a.ts': '…' }`. None if absent. */
  readonly workspace?: Files;
  /** The folder beside which the agent's skills are, in its folder `skills`: the working directory if absent. */
  readonly project?: string;
  /**
   * Decides approvals and questions: `true` or `false` for an approval, a text for the answer to a question. If it
   * returns `undefined` or is absent, the wait stays open: then the rehearsal ends while the session waits.
   */
  readonly decides?: (wait: Wait) => boolean | string | undefined;
  /**
   * Answers calls that are answered later (`context.later`): `{ result }` or `{ error }`, as posted to the URL that the
   * tool has given out. If it returns `undefined` or is absent, the calls stay open.
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

/** The result of a rehearsal. */
export interface Rehearsed<Answer = unknown> {
  readonly state: State;
  readonly reason?: Reason;
  /** Why the last finished run did not succeed, or what its answer lacks, in words. */
  readonly message?: string;
  /** The last answer of the last finished run. */
  readonly answer?: string;
  /** The structured answer of the last finished run, if the agent declares one (`defineAgent({ answer })`). */
  readonly object?: Answer;
  /** The session's messages, as people see them. */
  readonly transcript: readonly SnapshotMessage[];
  /** The events that a client receives, from the beginning. */
  readonly events: readonly AgUiEvent[];
  /** The guards' verdicts, in order. */
  readonly verdicts: readonly Spoken[];
  /** The model's calls with their results, in order. */
  readonly calls: readonly RehearsedCall[];
  /** Calls that the system made without the model: those of gates' verification, and of approved plans. */
  readonly made: readonly RehearsedCall[];
  /** Each start of a tool's code, or of its fake's. */
  readonly starts: readonly ToolStart[];
  /** The requests to the model. */
  readonly requests: readonly ModelRequest[];
  /** The facts at the end, the caller's and the tenant's, oldest first. */
  readonly memory: RehearsedMemory;
  /** The files of the workspace at the end, as text, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Number of unused answers of the script. */
  readonly left: number;
  /** Committed model calls. */
  readonly steps: number;
  /** Tokens, and USD by the agent's `model.price`, else by the price list; 0 if the price is not known. */
  readonly totals: Totals;
  /** Number of calls to the outside: the highest {@link CrashPoint.nth}. */
  readonly outside: number;
}

/** A call with its result. */
export type RehearsedCall = ToolCall & Pick<ToolResult, 'outcome' | 'content'>;

/** The start of a tool's code. */
export interface ToolStart {
  readonly name: string;
  readonly input: unknown;
  readonly idempotencyKey: string;
}

/** Real ms to wait for a tool that waits for something real, before the clock moves on. */
const REAL_MS = 2_000;
/** Turns after which a session that does not come to rest is given up. */
const MOST_TURNS = 2_000;

/**
 * Plays a session until it rests. Rejects if the model is asked more often than its script says, and with errors of the
 * core itself.
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
    project = '.',
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
        // A fake answers in place of another agent.
        ...(rehearsal.tools?.[tool.name] ? { ...tool, delegates: undefined } : tool),
        run: watched(tool.name, rehearsal.tools?.[tool.name] ?? tool.run, starts, going, () => world),
      })),
      toolSources: agent.toolSources.map((source) =>
        watchedSource(source, rehearsal.tools, starts, going, () => world),
      ),
    },
    model,
    {
      settings,
      secrets,
      internet,
      workspace,
      realTime,
      // A model without a price is nothing to log in a test: the budget guard says so if the agent limits dollars.
      priceOf: (name) => priceOf(name, true),
      skillsOf: (names) => counted(going, skillsIn(project)(names)),
    },
  );
  const by = { tenant: world.key.tenant, subject };
  await rememberBefore(rehearsal.memory ?? {}, by, world.memories, world.clock.now());
  if (crash) world.faults.atAny(crash.when === 'before' ? killBefore : killAfter, crash.nth);
  for (const text of typeof user === 'string' ? [user] : user) {
    await world.say(text, undefined, subject, callerFacts({ kind, ...defined({ roles }) }, channel));
    await comeToRest(world, decides, answersLater, realTime);
  }
  const memory = await rememberedNow(by, world.memories);
  const came: Rehearsed = { ...(await resultOf(world, model.requests, model.left(), starts)), memory };
  // The agent's schema has parsed it.
  return came as Rehearsed<AnswerOf<A>>;
}

/**
 * Plays the rehearsal once as it is, then once for every place where a worker can die in it, and returns the results. A
 * tool is safe if its `starts` show it: `once` tools start at most once for each `idempotencyKey`.
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

/**
 * The script for a model that is asked again after a crash: the same request gets the same reply, and the script never
 * runs out.
 */
function repeating(script: Rehearsal['model']): Scripted[] | Answering {
  const listed = typeof script === 'function' ? [script] : script;
  const left = [...listed];
  const known = new Map<string, Scripted>();
  const answer: Answering = async (asked) => {
    const request = JSON.stringify(asked.request.messages);
    const scripted = known.get(request) ?? left.shift() ?? listed.at(-1);
    if (!scripted) throw new Error('the script has no answers');
    const outcome = typeof scripted === 'function' ? await scripted(asked) : scripted;
    // A retry after a failure gets the next answer.
    if (outcome.kind === 'reply') known.set(request, outcome);
    return outcome;
  };
  return typeof script === 'function' ? answer : Array.from({ length: MOST_TURNS }, () => answer);
}

/** Runs a tool, or its fake. Each start is recorded, and is a call at which a worker can die. */
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

/** A source whose listing, and whose tools, are calls at which a worker can die. */
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

/** Lets real work proceed for a moment: the clock of a rehearsal must not run away from a tool that reads a file. */
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

/** Runs steps, queued calls and decisions, and then the clock, until nothing is left to do. */
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
    if (at !== undefined) await world.clock.advance(at - world.clock.now());
    else if (!(await restOne(world))) return;
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
  const { waits = [], asks = [] } = view?.session.batch ?? {};
  const own = waits.filter((wait) => isForPeople(wait) && view?.fence.pending.includes(wait.id));
  for (const wait of [...own, ...asks]) {
    const decided = decides(wait);
    if (decided === undefined) continue;
    const decision = typeof decided === 'string' ? { approved: true, note: decided } : { approved: decided };
    const at = wait.child === undefined ? world.key : { ...world.key, sessionId: wait.child };
    const outcome = await decide(at, wait.id, { ...decision, by: 'user:rehearsal' }, world);
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

/**
 * Lets the time pass until the next moment of a session that rests for nothing else. The sweeper wakes it if the moment is
 * further away than a message can be delayed.
 */
async function restOne(world: AgentWorld): Promise<boolean> {
  const moments = [...world.table.heads.values()].flatMap(({ session: { batch } }) =>
    batch && batch.waits.length > 0 && batch.waits.every(({ kind }) => kind === 'timer')
      ? [firstExpiry(batch.waits)]
      : [],
  );
  if (moments.length === 0) return false;
  await world.clock.advance(Math.max(0, Math.min(...moments) - world.clock.now()));
  await sweep(world);
  return true;
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
    ...defined({ reason: session.reason }),
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

/** The joined text of an answer that was cut and continued, else the assistant's last message. */
function answerIn(
  events: readonly AgUiEvent[],
  transcript: readonly SnapshotMessage[],
): Pick<Rehearsed, 'answer' | 'message' | 'object'> {
  const ended = events.findLast((event) => event.type === 'RUN_FINISHED');
  const result = events
    .flatMap((event) => (event.type === 'CUSTOM' && event.name === 'steploop.ended' ? [event.value] : []))
    .at(-1);
  const last = transcript.findLast((message) => message.role === 'assistant');
  const answer = ended?.result.answer?.text ?? (last?.role === 'assistant' ? last.content : undefined);
  return {
    ...defined({ answer, message: result?.message, object: result?.object }),
  };
}
