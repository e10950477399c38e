import type { Paint } from '../../local/paint.ts';
import { printable } from '../../local/printable.ts';
import type { GuardReplay, ReplayAnswer } from '../../web/client/index.ts';
import { columns } from '../sessions/columns.ts';

/** How a replay is printed. */
interface Printed {
  /** Adds what the model would have read. */
  readonly text: boolean;
  /** Characters of a line. */
  readonly width: number;
  readonly paint: Paint;
}

/** A replay as lines: for each preset how it ends the runs, and a table of its verdicts. */
export function replayLines({ from, runs, ran, presets }: ReplayAnswer, printed: Printed): string[] {
  const numbers = new Map(runs.map(({ runId }, i) => [runId, i + 1]));
  const placeOf = placesOf(numbers);
  const several = runs.length === 1 ? '1 run' : `${runs.length} runs`;
  const steps = runs.reduce((sum, run) => sum + run.steps, 0);
  return [
    `${several}, ${steps} ${steps === 1 ? 'step' : 'steps'}${from > 0 ? `; the slots before ${from} are not replayed` : ''}`,
    '',
    ...section('as it ran', 'its own guards', ran, placeOf, printed),
    ...presets.flatMap((preset) => [
      '',
      ...section(preset.preset, endsOf(preset, runs, placeOf), preset, placeOf, printed),
    ]),
  ];
}

type PlaceOf = (at: { readonly runId: string; readonly step: number }) => string;

/** `7`, or with the number of the run if there are several: `2.7`. */
const placesOf =
  (numbers: ReadonlyMap<string, number>): PlaceOf =>
  ({ runId, step }) =>
    numbers.size > 1 ? `${numbers.get(runId) ?? '?'}.${step}` : String(step);

function endsOf({ ends }: GuardReplay, runs: ReplayAnswer['runs'], placeOf: PlaceOf): string {
  const early = ends.filter(
    ({ runId, step, state }) =>
      state !== 'completed' || step < (runs.find((run) => run.runId === runId)?.steps ?? 0),
  );
  if (early.length === 0) return 'ends no run early';
  return early.map((end) => `ends after step ${placeOf(end)}: ${end.reason}`).join(', ');
}

function section(
  name: string,
  summary: string,
  { said, more }: Pick<GuardReplay, 'said' | 'more'>,
  placeOf: PlaceOf,
  { text, width, paint }: Printed,
): string[] {
  const title = `${paint('bold', name)}  ${summary}`;
  if (said.length === 0) return [title, '  silent'];
  const names = ['step', 'guard', 'code', 'effect', 'what'];
  const rows = said.map((one) => [placeOf(one), one.guard, one.code, one.effect, onOneLine(one.message)]);
  const [head = [], ...lines] = columns(names, rows, width - 2);
  return [
    title,
    `  ${paint('dim', head.join('  '))}`,
    ...lines.flatMap((line, i) => {
      const read = text ? said[i]?.text : undefined;
      return [`  ${line.join('  ').trimEnd()}`, ...(read ? [`        ${onOneLine(read)}`] : [])];
    }),
    ...(more ? [`  and ${more} more`] : []),
  ];
}

const onOneLine = (words: string): string => printable(words.replaceAll(/\s+/g, ' '));
