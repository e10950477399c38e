import * as z from 'zod';
import type { Effect } from '../../shared/agent/config/effects.ts';
import { askUser } from '../../shared/agent/define/ask-user.ts';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { defineToolSource } from '../../shared/agent/define/tool-source.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import type { StopContext, Tool, ToolContext } from '../../shared/agent/tools/tool.ts';
import { CALLER } from './caller.ts';
import { type EditRun, edit } from './edits.ts';
import { note, recall } from './facts.ts';
import { failedBefore, whyGiveUp } from './failures.ts';
import { roundChecks } from './invariants/answers.ts';
import { inlineChecks, startChecks } from './invariants/calls.ts';
import { turnChecks } from './invariants/order.ts';
import { planStartChecks } from './invariants/plans.ts';
import { type Claim, callKey, check, type SessionFacts, type Turn } from './ledger.ts';
import { hand } from './outside.ts';
import { beginOutside, stopOutside } from './outside-work.ts';
import { readSkill } from './skills.ts';
import type { World } from './world.ts';

/** Limits of the simulated agent that invariants check. */
export const limits = { maxAttempts: 5, maxRetries: 3, maxSteps: 12, outageSeconds: 120 } as const;

/** Maximum time of a call in ms, after which its worker gives up. */
const TOOL_MS = 20_000;

/** The agents' code is the same in all simulations, like deployed code. The running world is passed to it here. */
let world: World | undefined;
export const runIn = (of: World): void => {
  world = of;
};

/** The running world. */
export function running(): World {
  if (!world) throw new Error('no simulation runs');
  return world;
}

/** The file of a call. Ids end with their place in the reply. */
const fileOf = (callId: string): string => `file-${Number(callId.at(-1)) % 3}`;

/** The later changes of its plan; none for any other call. */
function laterOf(callId: string): string[] {
  const [, n, slot] = /^change_(\d+)_(\d+)$/.exec(callId) ?? [];
  if (slot === undefined) return [];
  return Array.from({ length: 50 - Number(n) }, (_, i) => `change_${Number(n) + 1 + i}_${slot}`);
}

/** Number of consecutive questions of a call to people. */
const roundsOf = (callId: string): number => 1 + (Number.parseInt(hash(callId).slice(0, 2), 16) % 3);

/** The options of a simulated tool. */
type Made = Pick<Tool, 'where' | 'approval'> & {
  readonly onFile?: boolean;
  /** Whether it is answered later, by an outside service, asks a person in the middle, or rests until a moment. */
  readonly waitsFor?: 'answer' | 'person' | 'timer';
  /** Whether it saves a fact, or searches for known ones. */
  readonly remembers?: 'save' | 'search';
  readonly name?: string;
  /** Whether it can stop what it has begun outside. */
  readonly stops?: boolean;
};

const tool = (name: string, effect: Effect, more: Made = {}): Tool =>
  defineTool({
    name,
    effect,
    approval: 'never',
    ...(more.where && { where: more.where }),
    ...(more.approval && { approval: more.approval }),
    ...(more.onFile && { touches: ({ call }: { call: string }) => [fileOf(call)] }),
    description: `A tool of effect ${effect}.`,
    // The simulated model repeats a call's id in its arguments, since a tool is not told it.
    input: z.object({ call: z.string() }),
    settings: [CALLER],
    run: ({ call }, context) => {
      const run = () => runTool(running(), effect, call, context, { ...more, name });
      return more.stops ? beginOutside(running(), context, run) : run();
    },
    ...(more.stops && { stop: (context: StopContext<typeof CALLER>) => stopOutside(running(), context) }),
  });

/** Tools of the simulated agent (`agents.ts`). */
export const tools = [
  tool('look', 'read'),
  tool('put', 'idempotent'),
  tool('view', 'read', { onFile: true }),
  tool('edit', 'idempotent', { onFile: true }),
  tool('pay', 'once'),
  tool('fetch', 'read', { where: 'queue' }),
  tool('send', 'idempotent', { where: 'queue' }),
  tool('ship', 'once', { where: 'queue' }),
  tool('wire', 'once', { approval: 'always' }),
  tool('haul', 'once', { where: 'queue', approval: 'always' }),
  tool('defer', 'once', { waitsFor: 'answer' }),
  tool('relay', 'idempotent', { where: 'queue', waitsFor: 'answer' }),
  tool('note', 'idempotent', { remembers: 'save' }),
  tool('jot', 'idempotent', { where: 'queue', remembers: 'save' }),
  tool('recall', 'read', { remembers: 'search' }),
  tool('nap', 'read', { waitsFor: 'timer' }),
  tool('doze', 'idempotent', { where: 'queue', waitsFor: 'timer' }),
  tool('quiz', 'idempotent', { waitsFor: 'person' }),
  tool('poll', 'idempotent', { where: 'queue', waitsFor: 'person' }),
  tool('hire', 'idempotent', { stops: true }),
  tool('rent', 'idempotent', { where: 'queue', stops: true }),
  tool('charter', 'idempotent', { waitsFor: 'person', stops: true }),
  tool('lend', 'once', { waitsFor: 'answer', stops: true }),
  tool('let', 'once', { where: 'queue', waitsFor: 'answer', stops: true }),
  askUser,
];

/** Declared if its model's server may refuse it (`odd.ts`). No reply calls it. */
export const spare = tool('spare', 'read');

/**
 * The server's tools and how they are called. Their descriptions differ each time, as on servers that are redeployed.
 */
export const server = defineToolSource({
  name: 'src',
  queue: true,
  settings: [CALLER],
  async list({ setting, signal }) {
    const world = running();
    const caller = world.callers.get(setting(CALLER));
    const claim = caller && world.ledger.claims.get(caller.id);
    if (!caller || !claim) throw new Error('a source is asked without a caller');
    const wrong = whyGiveUp(failedBefore(world.ledger.facts(claim.key).failures, 'unlisted'), limits);
    if (wrong) world.ledger.violate('24 retries are bounded', wrong);
    // Until it has answered, and unless it comes too late.
    const fails = () => Object.assign(claim, { failed: 'unlisted', failedAt: world.scheduler.now });
    fails();
    signal.addEventListener('abort', fails);
    await caller.host.clock.sleep(world.scheduler.random.between(1, 300));
    if (world.faults.strikes('overloaded')) {
      fails();
      throw new Error('the source is away');
    }
    signal.removeEventListener('abort', fails);
    if (!signal.aborted) claim.failed = undefined;
    world.listings += 1;
    const listed = (name: string, effect: Effect, where: 'inline' | 'queue' = 'inline') => ({
      ...{ name, effect, where, approval: 'never' as const },
      description: `A tool of effect ${effect}, as listed at ${world.listings}.`,
      input: z.object({ call: z.string() }),
    });
    world.scheduler.trace.say(caller.id, 'tools listed', String(world.listings));
    return [listed('peek', 'read'), listed('give', 'once'), listed('mail', 'idempotent', 'queue')];
  },
  get:
    ({ effect, where }) =>
    (input, context) => {
      const { call } = input as { call: string };
      return runTool(running(), effect, call, context, where === 'queue' ? { where } : {});
    },
});

async function runTool(
  world: World,
  effect: Effect,
  said: string,
  context: ToolContext<typeof CALLER>,
  { name = '', where, approval, onFile = false, waitsFor, remembers }: Made,
): Promise<unknown> {
  const { faults, scheduler, ledger, workload } = world;
  const { random, trace } = scheduler;
  const { idempotencyKey: key, tenant, sessionId, signal } = context;
  // A change of a plan is a separate call, with the arguments of the call that has proposed it.
  const callId = /:(change_\d+_\d+):/.exec(key)?.[1] ?? said;
  const caller = world.callers.get(context.setting(CALLER));
  const claim = caller && ledger.claims.get(caller.id);
  const queued = where === 'queue';
  if (!caller || (!queued && !claim)) throw new Error('a tool runs without a claim');
  const facts = ledger.facts({ tenant, sessionId });
  const at = callKey(facts.pk, callId);
  const before = ledger.calls.get(at);
  const { now } = scheduler;
  const isProposed = workload.plans === true && effect !== 'read';
  const needs = { approval: approval === 'always' || isProposed, tool: name, queued };
  const started = { facts, callId, key, effect, before, ...needs, caller, now };
  check(ledger, startChecks, started);
  const laterSince = laterOf(callId).flatMap(
    (later) => ledger.calls.get(callKey(facts.pk, later))?.since ?? [],
  );
  const recordedAt = facts.fenced.get(callId);
  check(ledger, planStartChecks, { callId, again: before !== undefined, laterSince, recordedAt, now });
  if (claim && !queued) {
    check(ledger, inlineChecks, { ...started, claim, events: scheduler.events });
    const changes = effect !== 'read';
    const reply = facts.served.calls.get(callId);
    const turn = { changes, ...(onFile && { file: fileOf(callId) }) };
    check(ledger, turnChecks, { callId, turn, reply, turns: claim.turns });
    takeTurn(world, claim, callId, turn, signal);
  }
  ledger.calls.set(at, { effect, key, since: before?.since ?? now, starts: (before?.starts ?? 0) + 1 });
  if (effect === 'once') facts.startedOnce.add(callId);
  if (queued) facts.running.set(callId, { caller, until: now + TOOL_MS });
  trace.say(caller.id, `tool ${effect}`, callId);

  const { clock } = caller.host;
  if (world.workload.poison === 'tool' && effect !== 'once') caller.host.kill();
  if (faults.strikes('hungTool')) await clock.sleep(3_600_000, random.chance(0.5) ? signal : undefined);
  const pause = () =>
    clock.sleep(faults.strikes('slowTool') ? random.between(1_000, 40_000) : random.between(1, 300), signal);
  const { tells = false } = world.workload;
  if (tells) context.progress(`${callId} has begun`, 0);
  const run = world.workload.files ? newRun(world, facts, callId, caller.id) : undefined;
  const works = { callId, reads: effect === 'read', ...(onFile && { file: fileOf(callId) }) };
  const { workspace, memory } = context.services;
  const work = async () => {
    await (run ? edit(world, run, works, workspace, pause) : pause());
    if (world.workload.skills) await readSkill(world, facts, callId, context);
    if (remembers === 'save') await note(ledger, facts, callId, memory);
    if (remembers === 'search') await recall(ledger, facts, memory);
  };
  await work().catch((error) => {
    // Its files, or its memory, could not be reached.
    endTurn(world, claim, callId);
    throw error;
  });
  if (tells) context.progress(`${callId} has come to its end`, 1);
  // A call that waits for its answer has no result yet.
  if (effect === 'once' && !queued && waitsFor !== 'answer') claim?.unkept.add(callId);
  endTurn(world, claim, callId);
  if (faults.strikes('throwingTool')) throw new Error(`${callId} failed`);
  const rounds = waitsFor === 'person' ? roundsOf(callId) : 0;
  check(ledger, roundChecks, { callId, answers: context.answers, heard: facts.heard.get(callId) ?? [] });
  // A call that asks twice has given its work out before, and asks whether to continue.
  if (rounds === 2 && context.answers.length === 0) await handOut(world, facts, callId, context);
  if (context.answers.length < rounds) return context.ask(`${callId}, ${context.answers.length}?`);
  // A call that asks three times gets its final answer from outside.
  if (waitsFor === 'timer') return rest(world, facts, callId, context);
  if (waitsFor === 'answer' || rounds === 3) return handOut(world, facts, callId, context);
  const { maxOutput, toolLetters = 0 } = world.workload;
  const text = `<${tenant}> ${callId} is done${run ? ` [${run.id}]` : ''}`;
  if (faults.strikes('oversize')) return text.padEnd(random.between(maxOutput, 4 * maxOutput), '.');
  return toolLetters > 0 && random.chance(0.6) ? text.padEnd(toolLetters, '.') : text;
}

/** Rests for less or more than a message can be delayed. */
async function rest(
  { scheduler }: World,
  facts: SessionFacts,
  callId: string,
  { now, sleepUntil }: Pick<ToolContext, 'now' | 'sleepUntil'>,
): Promise<unknown> {
  const at = now() + scheduler.random.pick([100, 5_000, 60_000, 300_000, 1_200_000]);
  facts.rested.set(callId, [...(facts.rested.get(callId) ?? []), at]);
  return sleepUntil(at);
}

/** Gives its work to a service, which answers later. */
async function handOut(
  world: World,
  facts: SessionFacts,
  callId: string,
  { later }: Pick<ToolContext, 'later'>,
): Promise<unknown> {
  const seconds = world.scheduler.random.pick([5, 60, 300]);
  const given = await later({ expiresAfterSeconds: seconds });
  hand(world, facts, callId, given.token, seconds);
  return given;
}

/** Records that a tool begins to work on files. */
function newRun({ ledger, scheduler }: World, { edits }: SessionFacts, callId: string, by: string): EditRun {
  const runs = edits.get(callId) ?? [];
  const { events } = scheduler;
  const run = {
    id: `w${events}`,
    by,
    startedAt: events,
    claimedAt: ledger.claims.get(by)?.claimedAt ?? events,
    endedAt: 0,
    read: [],
    wrote: new Map(),
    listed: undefined,
  };
  edits.set(callId, [...runs, run]);
  return run;
}

/** Its turn ends with the tool, or when its step no longer waits for it, which may be from the start. */
function takeTurn(
  world: World,
  claim: Claim,
  callId: string,
  turn: Pick<Turn, 'changes' | 'file'>,
  signal: AbortSignal,
): void {
  claim.turns.set(callId, { ...turn, over: false, overAt: 0 });
  const end = () => endTurn(world, claim, callId);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end);
}

function endTurn({ scheduler }: World, claim: Claim | undefined, callId: string): void {
  const turn = claim?.turns.get(callId);
  if (!turn || turn.over) return;
  turn.over = true;
  turn.overAt = scheduler.events;
}
