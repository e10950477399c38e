import { Link } from '@tanstack/react-router';
import type { SessionRow } from '../../../client/index.ts';
import { StateBadge } from '../parts/badge.tsx';
import { plain } from '../parts/plain.ts';
import { reasonWords, toneOf } from '../parts/words.ts';

/** Why a session failed, or waits for people; undefined for other sessions. */
export const whyOf = ({ state, reason, message }: SessionRow): string | undefined =>
  ['bad', 'warn'].includes(toneOf(state)) ? (message ?? (reason && reasonWords[reason])) : undefined;

/** A session in the list of narrow windows. */
export function Row({ row }: { readonly row: SessionRow }) {
  const { sessionId, agent, state, title, source, user } = row;
  return (
    <Link to="/sessions/$sessionId" params={{ sessionId }} className={`session-row ${toneOf(state)}`}>
      <span className="title">
        <span className="clip">{plain(title) || sessionId}</span>
        <span className="clip dim">{whyOf(row) ?? `${agent} · ${source}${user ? ` · ${user}` : ''}`}</span>
      </span>
      <StateBadge state={state} />
    </Link>
  );
}
