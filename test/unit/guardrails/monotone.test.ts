import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PresetName, presets } from '../../../shared/agent/config/presets.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { builtInGuards } from '../../../shared/agent/guardrails/built-in.ts';
import { judge } from '../../../shared/agent/guardrails/judge.ts';
import { callKey } from '../../../shared/agent/guardrails/loops/fingerprint.ts';
import { hash } from '../../../shared/agent/plain/hash.ts';
import type { Reply } from '../../../shared/agent/session/reply.ts';
import {
  newRun,
  newSession,
  noTotals,
  noUsage,
  type Session,
} from '../../../shared/agent/session/session.ts';
import type { ToolCall } from '../../../shared/agent/session/slots.ts';
import type { Slice, Slices, Verdict } from '../../../shared/agent/session/verdict.ts';
import { tool } from '../step/reading.fixture.ts';

const strength: Record<Verdict['kind'] | 'allow', number> = {
  allow: 0,
  check: 0,
  flag: 1,
  nudge: 2,
  warn: 3,
  block: 4,
  skip_calls: 4,
  text_only: 4,
  halt: 5,
};

const presetNames = Object.keys(presets) as PresetName[];
const tools = [tool('read_file'), tool('bash', () => 0, { effect: 'once' }), tool('job_status')];
const pending: ToolCall[] = [
  { id: 'c', name: 'read_file', input: { path: 'a' } },
  { id: 'c', name: 'bash', input: { command: 'make' } },
  { id: 'c', name: 'job_status', input: {} },
  { id: 'c', name: 'nope', input: {} },
];

/** Every counter, as numbers by name. */
const counters = [
  'calls',
  'streak',
  'reads',
  'repeated',
  'times',
  'commands',
  'seen',
  'steps',
  'toolCalls',
  'tokens',
] as const;
type Counters = Record<(typeof counters)[number], number>;

/** The state of a run that has counted so much about one call. */
function slicesOf(call: ToolCall, signature: string, n: Counters): Slices {
  const key = callKey(call);
  const streak = { call: key, result: 'r', length: n.streak };
  const seen = Array.from({ length: Math.min(n.seen, 30) }, () => ({
    tool: call.name,
    call: key,
    result: 'r',
    step: 1,
  }));
  return {
    counts: { toolCounts: { [call.name]: n.calls }, streak },
    no_progress: { streak },
    identical_reads: { reads: { [key]: { times: n.times, result: 'r', path: 'a' } } },
    identical_commands: { commands: { [hash('make', 16)]: n.commands } },
    reads: { reads: n.reads },
    repetition: { signature, repeated: n.repeated, results: '' },
    window: { seen, pattern: '', nudged: false },
    max_steps: { steps: n.steps },
    max_tool_calls: { calls: n.toolCalls },
    // The one grant over a budget (T5) is used up: it is no counter.
    budget: { recovered: true },
  };
}

function sessionWith(guardrails: Slices, tokens: number): Session {
  const totals = { ...noTotals, input: tokens };
  const session = newSession({ tenant: 't', sessionId: 's' }, 'a', 'd');
  return { ...session, metadata: { guardrails }, totals, run: { ...newRun, id: 'r', totals } };
}

/** The strongest verdict of the guards before the model, on its reply, and before the call. */
function strongest(guards: ReturnType<typeof builtInGuards>, call: ToolCall, n: Counters): number {
  const reply: Reply = {
    model: 'm',
    stop: 'tool_use',
    content: [{ type: 'tool_use', ...call }],
    calls: [call],
    usage: noUsage,
  };
  const signature = judge(guards, 'reply', sessionWith({}, 0), { reply, shrinks: () => false }).session
    .metadata.guardrails.repetition as Slice | undefined;
  const session = sessionWith(slicesOf(call, String(signature?.signature ?? ''), n), n.tokens);
  const known = tools.find(({ name }) => name === call.name);
  const said = [
    ...judge(guards, 'preflight', session, {
      now: 0,
      cancelled: false,
      attempts: 1,
      abandoned: false,
      resources: {},
      asked: [],
      shrinks: () => false,
      fullness: () => 0,
    }).spoken,
    ...judge(guards, 'reply', session, { reply, shrinks: () => false }).spoken,
    ...judge(guards, 'call', session, { call, effect: known?.effect ?? 'unknown', tool: known }).spoken,
  ];
  return Math.max(0, ...said.map(({ kind }) => (kind === 'warn' ? 0 : strength[kind])));
}

describe('counters only ever make guards stricter', () => {
  test.each(presetNames)('%s: raising any counter never turns a stop into an allow', (preset) => {
    const { guardrails, limits } = defineAgent({
      ...{ name: 'a', version: '1', model: { name: 'm' }, system: 's', tools },
      guardrails: preset,
      limits: { tokenBudget: 10_000 },
    });
    const price = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
    const guards = builtInGuards({ guardrails, limits, price });
    const small = fc.integer({ min: 0, max: 25 });
    const anyCounters = fc.record({
      ...{
        calls: small,
        streak: small,
        repeated: small,
        times: small,
        commands: small,
        seen: fc.integer({ min: 0, max: 30 }),
      },
      ...{ reads: fc.integer({ min: 0, max: 70 }), steps: fc.integer({ min: 0, max: 120 }) },
      ...{ toolCalls: fc.integer({ min: 0, max: 200 }), tokens: fc.integer({ min: 0, max: 12_000 }) },
    });
    const stops = new Set<number>();
    fc.assert(
      fc.property(
        fc.constantFrom(...pending),
        anyCounters,
        fc.constantFrom(...counters),
        fc.nat({ max: 300 }),
        (call, before, which, more) => {
          const [was, is] = [
            strongest(guards, call, before),
            strongest(guards, call, { ...before, [which]: before[which] + more }),
          ];
          stops.add(was);
          expect(is).toBeGreaterThanOrEqual(was);
        },
      ),
      { numRuns: 400 },
    );
    // The property is not empty: some of the states did stop.
    expect([...stops]).toContain(strength.halt);
  });
});
