import { Link } from '@tanstack/react-router';
import type { SessionRow } from '../../../client/index.ts';
import { StateBadge } from '../parts/badge.tsx';
import { plain } from '../parts/plain.ts';
import { reasonWords, toneOf } from '../parts/words.ts';

/** Why a session failed, or waits for people; undefined for other sessions. */
export const whyOf = ({ state, reason, message }: SessionRow): string | undefined =>
  ['bad', 'warn'].includes(toneOf(state)) ? (message ?? (reason && reasonWords[reason])) : undefined;

interface RowProps {
  readonly row: SessionRow;
  readonly isSelected: boolean;
  readonly onSelect: (sessionIds: readonly string[], isSelected: boolean) => void;
}

/** A session in the list of narrow windows. */
export function Row({ row, isSelected, onSelect }: RowProps) {
  const { sessionId, agent, state, title, source, user } = row;
  const name = plain(title) || sessionId;
  return (
    <div className={`session-row ${toneOf(state)}`}>
      {/* The label makes the target as high as the row. */}
      <label className="pick">
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
          checked={isSelected}
          onChange={({ target }) => onSelect([sessionId], target.checked)}
        />
      </label>
      <Link to="/sessions/$sessionId" params={{ sessionId }} className="opens">
        <span className="title">
          <span className="clip">{name}</span>
          <span className="clip dim">{whyOf(row) ?? `${agent} · ${source}${user ? ` · ${user}` : ''}`}</span>
        </span>
        <StateBadge state={state} />
      </Link>
    </div>
  );
}
