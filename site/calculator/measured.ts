/** The measured usage of a step, from the tables that the benches write into the pages. */

export interface Measured {
  /** Seconds for which the reference model speaks. */
  readonly speaks: number;
  /** A step of the reference run, with one listener. */
  readonly step: Readonly<Record<Row, number>>;
  /** Write units of a step with a short reply and one listener. */
  readonly shortWrites: number;
}

const rows = {
  pushes: 'pushes',
  writes: 'write units',
  reads: 'read units',
  queueRequests: 'requests of SQS',
  seconds: 'seconds of the step function',
  gbSeconds: 'GB-seconds of it',
  logKb: 'KB of logs',
} as const;
type Row = keyof typeof rows;

/**
 * @param cost the text of docs/cost.md
 * @param speed the text of docs/speed.md
 * @throws {Error} if a table has lost a row
 */
export function measuredIn(cost: string, speed: string): Measured {
  const counts = cost.slice(cost.indexOf('| a step '));
  const of = (text: string, row: string) => number(new RegExp(`^\\| ${row} +\\| +([\\d.]+)`, 'm'), text, row);
  const step = Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, of(counts, row)]));
  return {
    speaks: number(/speaks 500 tokens over (\d+) s/, cost, 'the length of a reply'),
    step: step as Record<Row, number>,
    shortWrites: number(/^\| write units, no listener \/ one +\| [\d.]+ \/ ([\d.]+)/m, speed, 'write units'),
  };
}

function number(find: RegExp, text: string, what: string): number {
  const found = find.exec(text)?.[1];
  if (found === undefined) throw new Error(`docs/cost.md or docs/speed.md no longer has: ${what}`);
  return Number(found);
}
