import { Link } from '@tanstack/react-router';
import type { VirtualItem } from '@tanstack/react-virtual';
import { memo } from 'react';
import type { SessionRow } from '../../../client/index.ts';
import { plain } from '../parts/plain.ts';
import { toneOf } from '../parts/words.ts';
import { type Arrangement, type SortBy, sortable } from './arranged.ts';
import type { ColumnId } from './column-ids.ts';
import { type Column, columns } from './columns.tsx';
import { whyOf } from './row.tsx';
import { SelectAll } from './select-all.tsx';

interface SessionTableProps {
  readonly rows: readonly SessionRow[];
  readonly shown: readonly VirtualItem[];
  /** Px of all rows. */
  readonly height: number;
  readonly chosen: readonly ColumnId[];
  readonly arrangement: Arrangement;
  readonly onArrange: (to: Pick<Arrangement, 'sort' | 'up'>) => void;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (sessionIds: readonly string[], isSelected: boolean) => void;
}

/** Sessions as a table, of which only the rows on the screen are drawn. */
export function SessionTable(props: SessionTableProps) {
  const { rows, shown, height, chosen, arrangement, onArrange, selected, onSelect } = props;
  const visible = columns.filter(({ id }) => chosen.includes(id));
  const gridTemplateColumns = ['2.25rem', ...visible.map(({ width }) => width)].join(' ');
  return (
    <table className="sessions-table" aria-rowcount={rows.length + 1}>
      <thead>
        <tr className="session-line" style={{ gridTemplateColumns }} aria-rowindex={1}>
          <th scope="col">
            <SelectAll {...{ rows, selected, onSelect }} />
          </th>
          {visible.map((column) => (
            <Heading key={column.id} column={column} arrangement={arrangement} onArrange={onArrange} />
          ))}
        </tr>
      </thead>
      <tbody style={{ height }}>
        {shown.map(({ key, index, start, size }) => {
          const row = rows[index];
          return (
            row && (
              <tr
                key={key}
                aria-rowindex={index + 2}
                aria-selected={selected.has(row.sessionId)}
                className={`session-line ${toneOf(row.state)}`}
                style={{ gridTemplateColumns, height: size, transform: `translateY(${start}px)` }}
              >
                <Cells
                  row={row}
                  visible={chosen}
                  isSelected={selected.has(row.sessionId)}
                  onSelect={onSelect}
                />
              </tr>
            )
          );
        })}
      </tbody>
    </table>
  );
}

interface CellsProps extends Pick<SessionTableProps, 'onSelect'> {
  readonly row: SessionRow;
  readonly visible: readonly ColumnId[];
  readonly isSelected: boolean;
}

const Cells = memo(function Cells({ row, visible, isSelected, onSelect }: CellsProps) {
  const title = plain(row.title) || row.sessionId;
  const why = whyOf(row);
  return (
    <>
      <td className="pick">
        <input
          type="checkbox"
          aria-label={`Select ${title}`}
          checked={isSelected}
          onChange={({ target }) => onSelect([row.sessionId], target.checked)}
        />
      </td>
      {columns
        .filter(({ id }) => visible.includes(id))
        .map(({ id, isFigure, cell }) => (
          <td key={id} className={isFigure && 'figure'}>
            {id === 'title' ? (
              <>
                <Link to="/sessions/$sessionId" params={{ sessionId: row.sessionId }} className="clip">
                  {title}
                </Link>
                {why && (
                  <span className="clip dim" title={why}>
                    {why}
                  </span>
                )}
              </>
            ) : (
              cell(row)
            )}
          </td>
        ))}
    </>
  );
});

interface HeadingProps extends Pick<SessionTableProps, 'arrangement' | 'onArrange'> {
  readonly column: Column;
}

/** A heading that sorts, if its column can: highest first, lowest first, and back to last activity. */
function Heading({
  column: { id, name, isFigure, hint },
  arrangement: { sort, up },
  onArrange,
}: HeadingProps) {
  const by = sortable.find((one) => one === id);
  const isSorted = id === 'activity' ? sort === undefined : by !== undefined && by === sort;
  const direction = isSorted && up && sort ? 'ascending' : 'descending';
  return (
    <th
      scope="col"
      className={isFigure && 'figure'}
      title={hint}
      {...(isSorted && { 'aria-sort': direction })}
    >
      {by || id === 'activity' ? (
        <button type="button" className="quiet" onClick={() => onArrange(nextSort(by, isSorted, up))}>
          {name}
          {isSorted && <span aria-hidden="true">{direction === 'ascending' ? ' ↑' : ' ↓'}</span>}
        </button>
      ) : (
        name
      )}
    </th>
  );
}

/** The sorting after a click on a heading. */
const nextSort = (by: SortBy | undefined, isSorted: boolean, up: boolean | undefined) => {
  if (by === undefined || (isSorted && up)) return { sort: undefined, up: undefined };
  return { sort: by, up: isSorted || undefined };
};
