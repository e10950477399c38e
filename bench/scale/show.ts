import type { Layout, Row, Verdict } from './judge.ts';
import type { Compared } from './limited.ts';
import { type Load, sessionSeconds } from './load.ts';

/** Prints a layout and its limits, one row for each number. */
export function showVerdict(
  load: Load,
  { tenants, lanes }: Layout,
  { rows, messages, usd, holds }: Verdict,
): void {
  const among = tenants === 1 ? 'of one tenant' : `of ${number(tenants)} tenants`;
  const ways = lanes === 1 ? 'without lanes' : `in ${lanes} lanes`;
  console.log(
    `\n${number(load.sessions)} sessions an hour ${among}, ${ways}: ${holds ? 'holds' : 'DOES NOT HOLD'}\n`,
  );
  line('', 'used', 'limit', 'of', 'breaks at');
  const byShare = rows.toSorted((a, b) => a.of.localeCompare(b.of) * -1 || shareOf(b) - shareOf(a));
  for (const row of byShare) {
    const whose = row.of === 'account' ? 'account' : '';
    const mark = shareOf(row) > 1 ? (row.of === 'account' ? 'raise it' : 'TOO MUCH') : '';
    line(row.wrong ?? row.what, number(row.used), number(row.most), whose, number(row.breaksAt), mark);
  }
  console.log(`messages a second: ${number(messages)}; USD a session without its model: ${usd.toFixed(5)}`);
  console.log(`USD an hour: ${number(usd * load.sessions)}`);
}

/** Prints the workload of the sessions. */
export function showLoad(load: Load, sessions: number): void {
  const { steps, modelMs, toolMs, watched } = load;
  const atOnce = (load.sessions / 3600) * sessionSeconds(load);
  console.log(
    `${steps} steps of ${modelMs / 1000} s of the model and ${toolMs / 1000} s of a tool; ${number(atOnce)} sessions at once;` +
      ` ${(100 * watched).toFixed(0)} % are followed. Sample: ${number(sessions)} sessions, in virtual time.`,
  );
}

/** Prints the effect of a rate limit on crowds, without signs and with them. */
export function showCrowds(sessions: number, crowds: readonly Compared[]): void {
  const row = (...cells: string[]) => console.log(cells.map((cell) => cell.padStart(14)).join(''));
  row('environments', 'outageSeconds', 'signs', 'taken', 'refused', 'runs failed', 'steps', 'seconds');
  for (const { crowd, alone, together } of crowds)
    for (const [signs, of] of [
      ['none', alone],
      ['shared', together],
    ] as const) {
      const counts = [of.taken, of.refused, sessions - of.completed, of.steps, of.seconds].map(number);
      row(number(crowd.environments), String(crowd.outageSeconds), signs, ...counts);
    }
  const { keys = 0, readsASecond = 0, writesASecond = 0 } = crowds.at(-1)?.together.signs ?? {};
  console.log(
    `Signs of the last: ${keys} items; units a second of the hottest: ${number(readsASecond)} read, ${number(writesASecond)} written.`,
  );
}

const shareOf = ({ used, most, wrong }: Row): number =>
  wrong === undefined ? used / most : Number.POSITIVE_INFINITY;

const number = (n: number): string => {
  if (Number.isNaN(n)) return '';
  if (!Number.isFinite(n)) return 'never';
  return n.toLocaleString('en-US', { maximumFractionDigits: n < 10 ? 2 : 0 });
};

const line = (what: string, used: string, most: string, of: string, breaksAt: string, mark = ''): void =>
  console.log(
    `${what.slice(0, 72).padEnd(72)}${used.padStart(10)}${most.padStart(10)}${of.padStart(9)}${breaksAt.padStart(14)}  ${mark}`.trimEnd(),
  );
