import { Link, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { Failure } from '../parts/failure.tsx';
import { useKept } from '../parts/kept.ts';
import { useWide } from '../parts/use-wide.ts';
import { searchFrom } from '../search/asked.ts';
import { isPartial } from './arranged.ts';
import { BulkBar } from './bulk-bar.tsx';
import { readColumns } from './column-ids.ts';
import { ColumnMenu } from './column-menu.tsx';
import { FailingNow } from './failing-now.tsx';
import { FilterBar } from './filter-bar.tsx';
import type { Filters } from './filters.ts';
import { NewSession } from './new-session.tsx';
import { PartialNote } from './partial-note.tsx';
import { Row } from './row.tsx';
import { SelectAll } from './select-all.tsx';
import { SessionTable } from './table.tsx';
import { useSelection } from './use-selection.ts';
import { useSessions } from './use-sessions.ts';
import { ViewMenu } from './view-menu.tsx';

/** Px of a row in the table, and in the list. */
const TABLE_ROW = 48;
const LIST_ROW = 64;

/** Sessions, most recently active first unless sorted otherwise: a table, or a list in narrow windows. */
export function SessionsPage({ filters }: { readonly filters: Filters }) {
  const navigate = useNavigate();
  const place = useRef<HTMLDivElement>(null);
  const isWide = useWide();
  const [chosen, choose] = useKept('steploop.columns', readColumns);
  const { list, rows, loaded, more, loadMore } = useSessions(filters);
  const { selected, select, clear } = useSelection();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => (isWide ? TABLE_ROW : LIST_ROW),
    getItemKey: (index) => rows[index]?.sessionId ?? index,
    overscan: 10,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height in the other form
  useEffect(() => virtual.measure(), [isWide, virtual]);
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  const isNearEnd = last >= rows.length - 10;
  useEffect(() => {
    if (more === 'scroll' && isNearEnd) loadMore();
  }, [more, isNearEnd, loadMore]);
  const go = (to: Filters) => void navigate({ to: '/', search: to, replace: true });

  return (
    <div className="sessions">
      <div className="row">
        <h1>Sessions</h1>
        <span className="grow" />
        <Link to="/search" search={searchFrom(filters)} className="button">
          Search messages and calls
        </Link>
        <ViewMenu filters={filters} columns={chosen} onColumns={choose} />
        {isWide && <ColumnMenu chosen={chosen} onChange={choose} />}
        <NewSession />
      </div>
      <FailingNow />
      <FilterBar filters={filters} onChange={go} />
      <Failure error={list.error} />
      {isPartial(filters) && (
        <PartialNote shown={rows.length} loaded={loaded} more={more} onMore={loadMore} />
      )}
      {!isWide && rows.length > 0 && <SelectAll {...{ rows, selected }} onSelect={select} isLabelled />}
      <BulkBar rows={rows} selected={selected} onSelect={select} onClear={clear} />
      <section
        ref={place}
        className="list wide"
        aria-label="Sessions"
        aria-busy={list.isPending}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
        tabIndex={0}
      >
        {isWide ? (
          <SessionTable
            {...{ rows, shown, chosen, selected }}
            height={virtual.getTotalSize()}
            arrangement={filters}
            onArrange={(to) => go({ ...filters, ...to })}
            onSelect={select}
          />
        ) : (
          <ul className="virtual" style={{ height: virtual.getTotalSize() }}>
            {shown.map(({ key, index, start, size }) => {
              const row = rows[index];
              return (
                row && (
                  <li key={key} style={{ height: size, transform: `translateY(${start}px)` }}>
                    <Row row={row} isSelected={selected.has(row.sessionId)} onSelect={select} />
                  </li>
                )
              );
            })}
          </ul>
        )}
        {list.isSuccess && rows.length === 0 && more === 'none' && <p className="dim">None.</p>}
      </section>
    </div>
  );
}
