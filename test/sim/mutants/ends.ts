/** Mutants of how a run ends: its end, its counters and charges, the order of things, and the requests to it. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const account = agent('step/model/account');
const charge = agent('session/charge');
const conclude = agent('step/end/conclude');
const modelCall = agent('step/model/model-call');
const keptReply = agent('step/end/kept-reply');
const unanswered = agent('step/end/unanswered');
const runBatch = agent('step/batch/run-batch');
const runCalls = agent('step/batch/run-calls');
const groups = agent('step/batch/groups');
const wrapUp = agent('guardrails/budgets/wrap-up');

const completed = "state: 'completed',\n        reason: 'completed',";

/** Ends that do not follow from the answers. */
const wrongEnds: readonly Mutant[] = [
  mutant(
    'end: every completion is a cancel',
    conclude,
    "      state: 'completed',\n      reason: ending.reason,",
    "      state: 'cancelled',\n      reason: 'cancelled',",
  ),
  mutant(
    'end: a cancel completes',
    conclude,
    "const cancelled = {\n  state: 'cancelled',\n  reason: 'cancelled',",
    "const cancelled = {\n  state: 'completed',\n  reason: 'completed',",
  ),
  mutant(
    'end: a refusal completes',
    agent('step/end/refused'),
    "state: 'error',\n  reason: 'blocked',",
    "state: 'completed',\n  reason: 'completed',",
  ),
  mutant(
    'end: a full context completes',
    agent('step/end/fold-instead'),
    "state: 'budget_exceeded',\n  reason: 'context_limit',",
    completed,
  ),
  mutant(
    'end: an unknown stop reason drops its calls',
    agent('step/model/admissible'),
    "    case 'end_turn':\n    case 'unknown':\n      return { ...reply, content: sendable(reply.content) };",
    "    case 'end_turn':\n      return { ...reply, content: sendable(reply.content) };\n    case 'unknown':\n      return withoutCalls(reply);",
  ),
  mutant(
    'end: a failing server completes',
    unanswered,
    "state: 'error',\n      reason: unlisted ? 'tool_error' : 'provider_error',",
    "state: 'completed',\n      reason: 'completed',",
  ),
  mutant(
    'end: one step more than the limit',
    agent('guardrails/budgets/max-steps'),
    'if (steps < maxSteps) return undefined;',
    'if (steps <= maxSteps) return undefined;',
  ),
  mutant(
    'end: the step limit counts the previous run too',
    agent('guardrails/judge'),
    "guard.scope !== 'session').map(",
    "guard.scope !== 'session' && guard.name !== 'max_steps').map(",
  ),
];

/** Counters that are equally wrong in the slot, on HEAD and in events. */
const wrongCounters: readonly Mutant[] = [
  mutant(
    'totals: nothing is added to the session’s',
    charge,
    'const totals = addTotals(session.totals, call);',
    'const { totals } = session;',
  ),
  mutant(
    'totals: nothing is added to the run’s',
    charge,
    '{ totals: addTotals(runOf(session).totals, call) }',
    '{}',
  ),
  mutant(
    'totals: a run starts with those of the previous one',
    agent('step/open/run'),
    'run: { ...newRun, id:',
    'run: { ...newRun, totals: session.run?.totals ?? newRun.totals, id:',
  ),
  mutant(
    'steps: a run starts with those of the previous one',
    agent('step/open/run'),
    'run: { ...newRun, id:',
    'run: { ...newRun, steps: session.run?.steps ?? 0, id:',
  ),
  mutant(
    'calls: a run starts with those of the previous one',
    agent('step/open/run'),
    'run: { ...newRun, id:',
    'run: { ...newRun, toolCalls: session.run?.toolCalls ?? 0, id:',
  ),
  mutant(
    'steps: a recovered reply counts twice',
    account,
    'steps: run.steps + 1,\n    ...untried',
    'steps: run.steps + (recovered ? 2 : 1),\n    ...untried',
  ),
  mutant(
    'steps: a recovered reply does not count',
    account,
    'steps: run.steps + 1,\n    ...untried',
    'steps: run.steps + (recovered ? 0 : 1),\n    ...untried',
  ),
  mutant(
    'calls: those that were not run do not count',
    runBatch,
    'toolCalls + (made ? 0 : plan.calls.length)',
    'toolCalls + done.length',
  ),
  mutant(
    'calls: a recovered batch does not count',
    runBatch,
    'toolCalls + (made ? 0 : plan.calls.length)',
    'toolCalls + (made || step.recovered.tools ? 0 : plan.calls.length)',
  ),
  mutant(
    'cost: output costs as much as input',
    agent('session/cost'),
    'usage.output * picoRate(rates.output)',
    'usage.output * picoRate(rates.input)',
  ),
  {
    name: 'told: the session’s totals are the run’s',
    edits: [
      {
        file: conclude,
        find: 'const { state, reason, run } = session;',
        replace: 'const { state, reason, run, totals } = session;',
      },
      {
        file: conclude,
        find: 'const { steps, toolCalls, totals } = run;',
        replace: 'const { steps, toolCalls } = run;',
      },
    ],
  },
];

/** Charges for dead attempts. */
const wrongCharges: readonly Mutant[] = [
  mutant('lost: nothing is charged', agent('step/model/lost'), 'if (died === 0 ||', 'if (died >= 0 ||'),
  mutant(
    'lost: one too many',
    agent('step/model/lost'),
    'Array.from({ length: died }',
    'Array.from({ length: died + 1 }',
  ),
  mutant(
    'lost: only one',
    agent('step/model/lost'),
    'Array.from({ length: died }',
    'Array.from({ length: 1 }',
  ),
  mutant(
    'lost: charged without a cause',
    agent('step/model/lost'),
    'const once = totalsOf({ usage, estimated: true }, billOf(usage, price));',
    'const once = totalsOf({ usage, estimated: true }, { ...billOf(usage, price), costUsd: 0 });',
  ),
  mutant('lost: forgotten when the reply is recovered', modelCall, '    lost: recovered.model?.lost,\n', ''),
  mutant(
    'used: the usage of a broken call is not charged',
    modelCall,
    'const used = withUsed(settled.used, lost, model);',
    'const used: ReturnType<typeof withUsed> = lost;',
  ),
  mutant(
    'lost: forgotten when the call fails',
    unanswered,
    'const charged = withCharge(drained, lost);',
    'const charged: Charged = { ...drained, lost: undefined && lost };',
  ),
  mutant(
    'lost: forgotten when the run ends',
    unanswered,
    'return withCharge(turn, known ?? lostWithout(step, asked).lost);',
    'return turn;',
  ),
  mutant(
    'lost: charged only to the slot',
    account,
    'const before = lost ? charge(turn.session, lost) : turn.session;',
    'const before = turn.session;',
  ),
];

/** Changes of order. */
const wrongOrder: readonly Mutant[] = [
  mutant(
    'order: messages by id',
    agent('step/open/load'),
    'a.at - b.at || (a.id < b.id ? -1 : 1);',
    'a.id < b.id ? -1 : 1;',
  ),
  mutant(
    'order: messages, the latest first',
    agent('step/open/load'),
    'a.at - b.at || (a.id < b.id ? -1 : 1);',
    'b.at - a.at || (a.id < b.id ? -1 : 1);',
  ),
  mutant(
    'order: results by id',
    runBatch,
    'return { session: withRun(session, run), spoken, halt, toolsMs, results, onward };',
    'results.sort((a, b) => (a.callId < b.callId ? -1 : 1));\n  return { session: withRun(session, run), spoken, halt, toolsMs, results, onward };',
  ),
  mutant(
    'order: calls by id',
    runCalls,
    'const here = plan.calls.filter((planned) => !isQueued(planned));',
    'const here = plan.calls.filter((planned) => !isQueued(planned)).sort((a, b) => (a.call.id < b.call.id ? -1 : 1));',
  ),
  mutant(
    'order: calls that change something overlap',
    groups,
    "tool ? rulesOfEffect(tool.effect).overlap : 'never';",
    "'always';",
  ),
  mutant(
    'order: unsafe calls overlap if they share nothing known',
    groups,
    "if (overlaps.includes('never')) return true;",
    '',
  ),
  mutant(
    'order: a read overlaps the change before it',
    groups,
    "overlaps.includes('apart') &&",
    "overlaps.every((overlap) => overlap === 'apart') &&",
  ),
  mutant(
    'order: calls on the same file overlap',
    groups,
    'shareAny(touched(one).names, touched(other).names)',
    '!touched(one).names && !touched(other).names',
  ),
  mutant(
    'order: a call waits only for the one before it',
    groups,
    'Math.max(-1, ...after) + 1',
    '(after.length > 0 ? (placed.at(-1) ?? 0) + 1 : 0)',
  ),
];

/** Requests to a run that it does not follow. */
const wrongControls: readonly Mutant[] = [
  mutant(
    'wrap-up: for one step only',
    wrapUp,
    "state.asked || asked.includes('wrap_up')",
    "asked.includes('wrap_up')",
  ),
  mutant('wrap-up: is ignored', wrapUp, "state.asked || asked.includes('wrap_up')", 'state.asked'),
  mutant(
    'wrap-up: the summary calls tools',
    modelCall,
    'turn.textOnly ? withoutCalls(whole) : whole',
    'whole',
  ),
  mutant(
    'wrap-up: a kept reply is no longer known to be the summary',
    keptReply,
    '    ...defined({ textOnly: turn.textOnly }),\n',
    '',
  ),
  mutant('a parent’s cancel is ignored', wrapUp, "asked.includes('parent_cancel')", 'asked.length > 99'),
  mutant('a parent’s cancel does not wait', wrapUp, 'const waits = wrapping && ', 'const waits = false && '),
  mutant(
    'a parent’s cancel waits endlessly',
    wrapUp,
    'state.granted < MOST_STEPS && now - since < MOST_MS',
    'true',
  ),
  mutant('a parent’s cancel waits for a summary that was already given', wrapUp, '!state.said && ', ''),
  mutant(
    'a parent’s cancel is forgotten during the wrap-up',
    agent('step/step'),
    'endAsDecided(step, await withPlan(step, await draft))',
    'await withPlan(step, await draft)',
  ),
  mutant(
    'a request to a run reaches the next one',
    agent('step/open/controls'),
    ' && meant !== runId',
    " && meant === ''",
  ),
  mutant(
    'a request to a run is a message',
    agent('step/model/turn'),
    '  return control || report?.quiet\n    ? []\n',
    '  return (control && !text) || report?.quiet\n    ? []\n',
  ),
  mutant(
    'people are not asked after an invalid answer',
    agent('step/step'),
    'if (waits && !below && isAtRest(claimed.view.session)) return',
    'if (waits && !below) return',
  ),
  mutant('giving back tells no listener', agent('step/end/commit'), '        tellAgain(view, io),\n', ''),
];

export const endMutants: readonly Mutant[] = [
  ...wrongEnds,
  ...wrongCounters,
  ...wrongCharges,
  ...wrongOrder,
  ...wrongControls,
];
