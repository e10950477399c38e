import type { GuardReplay, ReplayAnswer, ReplayedEnd, ReplayedVerdict } from '../../../client/index.ts';

/** Steps that the grid shows, the latest. */
const MOST_STEPS = 200;

/** A step of the grid's columns. */
export interface Column {
  readonly runId: string;
  readonly step: number;
}

/** The strongest verdict of a preset at a step; `over` after the end of the run. */
export type Mark = 'silent' | 'told' | 'stopped' | 'ended' | 'over';

export interface Cell extends Column {
  readonly mark: Mark;
  /** The verdicts at the step, in order. */
  readonly said: readonly ReplayedVerdict[];
}

/** The steps of the stored runs, and whether earlier ones are left out. */
export function columnsOf({ runs }: Pick<ReplayAnswer, 'runs'>): {
  readonly columns: readonly Column[];
  readonly cut: boolean;
} {
  const all = runs.flatMap(({ runId, steps }) =>
    Array.from({ length: steps }, (_, i) => ({ runId, step: i + 1 })),
  );
  return { columns: all.slice(-MOST_STEPS), cut: all.length > MOST_STEPS };
}

/** A row of the grid. */
export function cellsOf(
  { said, ends = [] }: Pick<GuardReplay, 'said'> & Partial<Pick<GuardReplay, 'ends'>>,
  columns: readonly Column[],
): Cell[] {
  return columns.map(({ runId, step }) => {
    const here = said.filter((one) => one.runId === runId && one.step === step);
    const end = ends.find((one) => one.runId === runId);
    return { runId, step, said: here, mark: markOf(here, step, end) };
  });
}

function markOf(said: readonly ReplayedVerdict[], step: number, end: ReplayedEnd | undefined): Mark {
  if (end && step > end.step) return 'over';
  if (end && step === end.step && end.state !== 'completed') return 'ended';
  return said.reduce<Mark>((mark, one) => {
    const next = strengthOf(one);
    return order.indexOf(next) > order.indexOf(mark) ? next : mark;
  }, 'silent');
}

const order: readonly Mark[] = ['silent', 'told', 'stopped', 'ended'];

function strengthOf({ effect }: ReplayedVerdict): Mark {
  switch (effect) {
    case 'allowed':
    case 'unsaid':
      return 'silent';
    case 'advised':
    case 'warned':
    case 'recovered':
    case 'accepted':
    case 'checked':
    case 'text_only':
      return 'told';
    case 'refused':
    case 'asked':
    case 'sent_back':
    case 'calls_dropped':
      return 'stopped';
    case 'ended':
      return 'ended';
    default:
      return effect satisfies never;
  }
}
