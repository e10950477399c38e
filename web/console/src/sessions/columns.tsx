import type { ReactNode } from 'react';
import type { SessionRow } from '../../../client/index.ts';
import { StateBadge } from '../parts/badge.tsx';
import { count, duration, usd } from '../parts/words.ts';
import { tokensOf } from './arranged.ts';
import type { ColumnId } from './column-ids.ts';

/** A column of the table of sessions. */
export interface Column {
  readonly id: ColumnId;
  readonly name: string;
  /** As CSS: a track of the grid. */
  readonly width: string;
  /** Figures are aligned to the right. */
  readonly isFigure?: true;
  /** An explanation, for the heading. */
  readonly hint?: string;
  /** The content of its cell. The table makes that of the title. */
  readonly cell: (row: SessionRow) => ReactNode;
}

const clipped = (text: string | undefined) => (
  <span className="clip" title={text}>
    {text}
  </span>
);

/** All columns, in order. */
export const columns: readonly Column[] = [
  { id: 'state', name: 'State', width: '9.75rem', cell: ({ state }) => <StateBadge state={state} /> },
  { id: 'agent', name: 'Agent', width: '7rem', cell: ({ agent }) => clipped(agent) },
  { id: 'title', name: 'Title', width: 'minmax(12rem, 1fr)', cell: () => null },
  { id: 'source', name: 'Source', width: '6rem', cell: ({ source }) => clipped(source) },
  { id: 'user', name: 'User', width: '6.5rem', cell: ({ user }) => clipped(user) },
  {
    ...{ id: 'steps', name: 'Steps', width: '4.5rem', isFigure: true, hint: 'Model calls of the last run' },
    cell: ({ steps }) => count(steps),
  },
  {
    ...{ id: 'tokens', name: 'Tokens', width: '5.75rem', isFigure: true },
    hint: 'Input, cached input and output tokens of the session',
    cell: (row) => count(tokensOf(row)),
  },
  {
    ...{ id: 'cost', name: 'Cost', width: '5.5rem', isFigure: true, hint: 'Model cost of the session' },
    cell: ({ totals }) => usd(totals.costUsd),
  },
  {
    ...{ id: 'duration', name: 'Duration', width: '6.5rem', isFigure: true },
    hint: 'Time of the last run without waits for people; empty while it runs',
    cell: ({ ranMs }) => ranMs !== undefined && duration(ranMs),
  },
  {
    ...{ id: 'activity', name: 'Last activity', width: '10rem', isFigure: true },
    cell: ({ movedAt }) => (
      <time className="dim" dateTime={movedAt} title={new Date(movedAt).toLocaleString()}>
        {new Date(movedAt).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' })}
      </time>
    ),
  },
];
