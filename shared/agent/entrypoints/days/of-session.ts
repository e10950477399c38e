import type { AgentFigures, ModelFigures, ToolFigures } from '../../../contract/days.ts';
import { addUsd, fromNano, toNano } from '../../../contract/money.ts';
import type { SessionKey } from '../../../contract/session.ts';
import type { StepInfo } from '../../../contract/steps.ts';
import { toStepInfo } from '../../events/steps.ts';
import type { SessionStore } from '../../ports/sessions.ts';
import { isFailure } from './reasons.ts';
import { addStep, type EndedRun, earlierRunsIn, lastRunIn, type RunSteps } from './runs-ended.ts';
import { sizeOf } from './sizes.ts';
import { isIn, type Span } from './span.ts';
import { stepsSince } from './steps-since.ts';
import { addRows, addTallies, emptyTally, type Tally } from './tally.ts';

/**
 * Tallies a session's work on a day, from its stored steps; undefined if there was none, or the session is deleted. A repetition has the same result,
 * also when the session has gone on since.
 *
 * @param isLate whether there is no time left to read on: then it rejects with {@link TooLate}
 */
export async function tallySession(
  key: SessionKey,
  span: Span,
  sessions: Pick<SessionStore, 'read' | 'slots'>,
  isLate: () => boolean,
): Promise<Tally | undefined> {
  const view = await sessions.read(key);
  if (!view) return undefined;
  const { session } = view;
  const runs = new Map<string, RunSteps>();
  let tally = emptyTally;
  let isActive = false;
  for await (const step of stepsSince(session, span.from, sessions, isLate)) {
    addStep(runs, step);
    if (!isIn(span, step.at)) continue;
    isActive = true;
    tally = addTallies(tally, tallyStep(toStepInfo(step), session.agent));
  }
  const ended = [...lastRunIn(session, span), ...earlierRunsIn(runs, session, span)];
  if (!isActive && ended.length === 0) return undefined;
  return addTallies(tally, { ...tallyRuns(ended, session.agent), sessions: 1 });
}

function tallyRuns(ended: readonly EndedRun[], name: string): Tally {
  const failed = ended.filter(({ reason }) => isFailure(reason)).length;
  const agent: AgentFigures = { name, runs: ended.length, failed, steps: 0, costUsd: 0 };
  return {
    ...emptyTally,
    reasons: ended.reduce<Tally['reasons']>(
      (rows, { reason }) => addRows(rows, [{ name: reason, runs: 1 }]),
      [],
    ),
    durations: ended.reduce<Tally['durations']>(
      (rows, { ms }) => (ms === undefined ? rows : addRows(rows, [{ name: sizeOf(ms), runs: 1 }])),
      [],
    ),
    agents: ended.length > 0 ? [agent] : [],
  };
}

function tallyStep(step: StepInfo, agent: string): Tally {
  const { kind, stop, usage, costUsd = 0, lost, infraUsd = 0, model } = step;
  const steps = kind === 'model' && stop !== undefined ? 1 : 0;
  const { input, output, cacheRead, cacheWrite } = usage ?? {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
  };
  const lostUsd = lost?.costUsd ?? 0;
  const usd = addUsd(costUsd, lostUsd);
  const called: ModelFigures[] =
    model === undefined ? [] : [{ name: model, calls: 1, input, output, cacheRead, cacheWrite, costUsd }];
  return {
    ...emptyTally,
    ...{ steps, costUsd: usd, lostUsd, infraUsd },
    input: input + (lost?.input ?? 0),
    output: output + (lost?.output ?? 0),
    cacheRead: cacheRead + (lost?.cacheRead ?? 0),
    cacheWrite: cacheWrite + (lost?.cacheWrite ?? 0),
    agents: [{ name: agent, runs: 0, failed: 0, steps, costUsd: usd }],
    models: called,
    tools: toolsOf(step),
  };
}

/** The tools that a step called. Each call bears an equal part of the reply's cost, in whole billionths. */
function toolsOf({ calls, costUsd = 0, kind }: StepInfo): readonly ToolFigures[] {
  const asked = kind === 'model' ? toNano(costUsd) : 0;
  const part = (i: number) =>
    Math.floor((asked * (i + 1)) / calls.length) - Math.floor((asked * i) / calls.length);
  return calls.reduce<readonly ToolFigures[]>((rows, { name, outcome, durationMs = 0, cached }, i) => {
    const failed = outcome === 'error' || outcome === 'unknown' ? 1 : 0;
    const row = { name, calls: 1, failed, ms: cached ? 0 : durationMs, costUsd: fromNano(part(i)) };
    return addRows(rows, [row]);
  }, []);
}
