import { count, dollars, seconds } from '../local/amounts.ts';
import { type Paint, paint } from '../local/paint.ts';
import { printable } from '../local/printable.ts';
import { MAX_DAYS } from '../shared/contract/days.ts';
import { type DaysAnswer, httpClient } from '../web/client/index.ts';
import { parse } from './arguments.ts';
import { WrongUsage } from './ends.ts';
import { tableLines } from './sessions/columns.ts';
import { failureOf, placeOf, places } from './sessions/place.ts';

/** Tools that are shown. */
const MOST_TOOLS = 20;

const usage = `steploop history [--days N] [--json]    the last N days (30; at most ${MAX_DAYS}) of a tenant, in UTC, today included: runs, failures by
                                        reason, durations, and cost by agent, model and tool

For callers who may see all sessions of the tenant. The sweeper counts a day once it is over, and begins with the first request.

${places}

Exit codes: 0 done. 1 failed. 2 the command line is invalid.`;

/** `steploop history`: uses the public HTTP API. */
export async function history(args: readonly string[]): Promise<number> {
  const options = { json: { type: 'boolean' }, days: { type: 'string' } } as const;
  const parsed = parse(args, { usage, options, words: 0 });
  if (!parsed) return 0;
  const { json = false, days } = parsed.values;
  if (days !== undefined && !(/^\d+$/.test(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS))
    throw new WrongUsage(`--days is a number from 1 to ${MAX_DAYS}.`);
  const place = placeOf(process.env, process.cwd());
  try {
    const answer = await httpClient(place).history(days === undefined ? undefined : Number(days));
    const lines = json
      ? [JSON.stringify(answer)]
      : linesOf(answer, { paint, width: process.stdout.columns ?? 120 });
    for (const line of lines) console.log(line);
    return 0;
  } catch (error) {
    throw failureOf(error, place.httpUrl);
  }
}

interface Screen {
  readonly paint: Paint;
  readonly width: number;
}

/** The history as tables: days, reasons, agents, models and tools. */
export function linesOf(
  { days, pending, total, agents, models, tools }: DaysAnswer,
  screen: Screen,
): string[] {
  const table = (names: readonly string[], rows: readonly (readonly string[])[]): string[] =>
    rows.length === 0 ? [] : ['', ...tableLines(names, rows, screen)];
  const { p50Ms, p95Ms } = total.durations;
  return [
    `${count(total.runs, 'run')}, ${total.failed.toLocaleString('en-US')} failed, ${count(total.steps, 'step')}, ${dollars(total.costUsd)} for models, ${dollars(total.infraUsd)} for infrastructure`,
    ...(p50Ms !== undefined ? [`a run took ${seconds(p50Ms)} (p50), ${known(p95Ms)} (p95)`] : []),
    ...(pending > 0
      ? [
          `${count(pending, 'earlier day is', 'earlier days are')} not counted yet: the sweeper counts them, one after the other`,
        ]
      : []),
    ...table(
      ['day (UTC)', 'runs', 'failed', 'steps', 'cost', 'p50', 'p95', ''],
      days.map((day) => [
        ...[day.day, String(day.runs), String(day.failed), String(day.steps), dollars(day.costUsd)],
        ...[known(day.durations.p50Ms), known(day.durations.p95Ms), day.partial ? 'not complete' : ''],
      ]),
    ),
    ...table(
      ['runs', 'reason'],
      total.reasons.map(({ reason, runs }) => [String(runs), reason]),
    ),
    ...table(
      ['cost', 'runs', 'failed', 'steps', 'agent'],
      agents.map(({ name, runs, failed, steps, costUsd }) => [
        ...[dollars(costUsd), String(runs), String(failed), String(steps), printable(name)],
      ]),
    ),
    ...table(
      ['cost', 'calls', 'model'],
      models.map(({ name, calls, costUsd }) => [dollars(costUsd), String(calls), printable(name)]),
    ),
    ...table(
      ['cost', 'calls', 'failed', 'mean', 'tool'],
      tools
        .slice(0, MOST_TOOLS)
        .map(({ name, calls, failed, ms, costUsd }) => [
          ...[
            dollars(costUsd),
            String(calls),
            String(failed),
            seconds(ms / Math.max(1, calls)),
            printable(name),
          ],
        ]),
    ),
  ];
}

const known = (ms: number | undefined): string => (ms === undefined ? '' : seconds(ms));
