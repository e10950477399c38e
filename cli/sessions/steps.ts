import { about, dollars } from '../../local/amounts.ts';
import type { Paint } from '../../local/paint.ts';
import { printable } from '../../local/printable.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import type { HttpClient, StepInfo } from '../../web/client/index.ts';
import { tableLines } from './columns.ts';

/** Steps of one page. */
const PAGE = 500;

/** All steps of a session, oldest first. */
export async function everyStep(client: Pick<HttpClient, 'steps'>, sessionId: string): Promise<StepInfo[]> {
  const steps: StepInfo[] = [];
  for (let from: string | undefined; ; ) {
    const page = await client.steps(sessionId, { limit: PAGE, ...defined({ from }) });
    steps.push(...page.steps);
    if (page.next === undefined) return steps;
    from = page.next;
  }
}

/** A line for each step, with a header line, as wide as the terminal. */
export function stepsTable(steps: readonly StepInfo[], paint: Paint, width: number): string[] {
  const names = ['slot', 'step', 'queue', 'claim', 'model', 'wait', 'tools', 'tokens', 'cost', 'what'];
  const rows = steps.map((step) => {
    const { times, usage, costUsd, infraUsd = 0, lost } = step;
    return [
      String(step.slots[0] ?? ''),
      (step.attempt ?? 1) > 1 ? `${step.step}, attempt ${step.attempt}` : String(step.step),
      ...[times.queueMs, times.claimMs, times.modelMs, times.waitMs, times.toolsMs].map(lasted),
      usage ? `${usage.input + usage.cacheRead + usage.cacheWrite} > ${usage.output}` : '',
      `${about(step.estimated ?? lost?.estimated)}${dollars((costUsd ?? 0) + infraUsd + (lost?.costUsd ?? 0))}`,
      printable(whatOf(step)).replaceAll(/\s+/g, ' '),
    ];
  });
  return tableLines(names, rows, { paint, width });
}

/** `850 ms`, `12.3 s`, `4 min`; empty if it was not recorded. */
function lasted(ms: number | undefined): string {
  if (ms === undefined) return '';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Its calls, decisions, guard verdicts and text. */
function whatOf({ kind, fold, stop, calls, verdicts, text }: StepInfo): string {
  const did = calls.map(
    ({ name, outcome, decidedBy, decision = 'approved' }) =>
      `${name}${outcome === 'ok' ? '' : ` ${outcome}`}${decidedBy === undefined ? '' : ` (${decision} by ${decidedBy})`}`,
  );
  const said = [...new Set(verdicts.map((one) => `[${one.guard}: ${one.code}]`))];
  const folded = fold && `fold (${fold.why}), ${fold.tokens.before} to ${fold.tokens.after} tokens`;
  const failed = kind === 'model' && stop === undefined ? 'no reply' : undefined;
  const cut = stop !== undefined && !['end_turn', 'tool_use'].includes(stop) ? stop : undefined;
  return [folded, failed, cut, did.join(', '), ...said, text].filter(Boolean).join(' ');
}
