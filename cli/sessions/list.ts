import { dollars } from '../../local/amounts.ts';
import type { Paint } from '../../local/paint.ts';
import { printable } from '../../local/printable.ts';
import { type Reason, reasons, type State, states } from '../../shared/contract/session.ts';
import type { HttpClient, SessionRow, SessionsAsked } from '../../web/client/index.ts';
import { WrongUsage } from '../ends.ts';
import { colours } from './card.ts';
import { columns } from './columns.ts';

/** Default number of sessions. */
const SHOWN = 20;
/** Sessions of one page. */
const PAGE = 100;

/** The options on the command line. */
export interface ListOptions {
  readonly state?: string | undefined;
  readonly reason?: string | undefined;
  readonly agent?: string | undefined;
  readonly source?: string | undefined;
  readonly user?: string | undefined;
  readonly search?: string | undefined;
  /** A time in ISO 8601, or how long ago: `30m`, `2h`, `7d`. */
  readonly since?: string | undefined;
  readonly limit?: string | undefined;
  readonly all?: boolean | undefined;
}

const agoMs = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The query from the options. Throws {@link WrongUsage} with a sentence. */
export function askedFor(options: ListOptions, now: number): SessionsAsked & { readonly most: number } {
  const { state, reason, agent, source, user, search, since, limit, all } = options;
  const asked = state?.split(',').filter(Boolean) ?? [];
  const wrong = asked.find((name) => !states.includes(name as State));
  if (wrong !== undefined)
    throw new WrongUsage(`There is no state ${wrong}. There are: ${states.join(', ')}.`);
  if (reason !== undefined && !reasons.includes(reason as Reason))
    throw new WrongUsage(`There is no reason ${reason}. There are: ${reasons.join(', ')}.`);
  const most = all ? Number.POSITIVE_INFINITY : Number(limit ?? SHOWN);
  if (!(most >= 1)) throw new WrongUsage('--limit is a number of sessions, from 1 on.');
  return {
    most,
    limit: Math.min(most, PAGE),
    ...(asked.length > 0 && { state: asked as State[] }),
    ...(reason && { reason: reason as Reason }),
    ...(agent && { agent }),
    ...(source && { source }),
    ...(user && { user }),
    ...(search && { q: search }),
    ...(since && { since: momentOf(since, now) }),
  };
}

function momentOf(since: string, now: number): string {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(since) ?? [];
  const at = count ? now - Number(count) * agoMs[unit as keyof typeof agoMs] : Date.parse(since);
  if (Number.isNaN(at))
    throw new WrongUsage('--since is a time, as 2026-11-23T08:00:00Z, or how long ago: 30m, 2h, 7d.');
  return new Date(at).toISOString();
}

/** Matching sessions, page after page, until there are enough. */
export async function listed(
  client: Pick<HttpClient, 'sessions'>,
  { most, ...asked }: ReturnType<typeof askedFor>,
): Promise<SessionRow[]> {
  const rows: SessionRow[] = [];
  for (let cursor: string | undefined, first = true; (first || cursor) && rows.length < most; first = false) {
    const page: Awaited<ReturnType<HttpClient['sessions']>> = await client.sessions({
      ...asked,
      ...(cursor && { cursor }),
    });
    rows.push(...page.sessions);
    cursor = page.next;
  }
  return rows.slice(0, most);
}

/** A line for each session, with a header line, as wide as the terminal. */
export function tableOf(rows: readonly SessionRow[], paint: Paint, width: number): string[] {
  const cells = rows.map((row) => [
    row.sessionId,
    row.waits
      ? `${row.state} (${row.waits})`
      : row.reason && row.state !== 'completed'
        ? row.reason
        : row.state,
    row.agent,
    row.movedAt.slice(0, 19).replace('T', ' '),
    String(row.steps),
    dollars(row.totals.costUsd),
    printable(row.title).replaceAll(/\s+/g, ' ') || '(no title)',
  ]);
  const names = ['session', 'state', 'agent', 'moved (UTC)', 'steps', 'cost', 'title'];
  const [head = [], ...lines] = columns(names, cells, width);
  return [
    paint('dim', head.join('  ')),
    ...lines.map(([id, state = '', ...others], i) => {
      return [id, paint(colours[rows[i]?.state ?? 'idle'] ?? 'bold', state), ...others].join('  ');
    }),
  ];
}
