import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { SessionRow } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { Failure } from '../parts/failure.tsx';
import { plain } from '../parts/plain.ts';
import { count, reasonWords, toneOf, usd } from '../parts/words.ts';
import { FailingNow } from './failing-now.tsx';
import { FilterBar } from './filter-bar.tsx';
import { askedBy, type Filters } from './filters.ts';
import { NewSession } from './new-session.tsx';

/** Ms between two reads; longer if much is listed, since all of it is read again. */
const lookMs = (pages: number): number => (pages <= 3 ? 2_000 : 15_000);
/** Px of a row. */
const ROW = 64;

/** The list of sessions, most recently active first. */
export function SessionsPage({ filters }: { readonly filters: Filters }) {
  const { client } = useDeployment();
  const navigate = useNavigate();
  const place = useRef<HTMLDivElement>(null);
  const list = useInfiniteQuery({
    queryKey: ['sessions', filters],
    queryFn: ({ pageParam }) =>
      client.sessions({ ...askedBy(filters, Date.now()), ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => lookMs(state.data?.pages.length ?? 0),
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.pages.flatMap(({ sessions }) => sessions) ?? [];
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW,
    getItemKey: (index) => rows[index]?.sessionId ?? index,
    overscan: 10,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  useEffect(() => {
    // A page may be empty before the end.
    if (hasNextPage && !isFetchingNextPage && last >= rows.length - 10) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, rows.length]);

  return (
    <div className="sessions">
      <div className="row">
        <h1>Sessions</h1>
        <span className="grow" />
        <NewSession />
      </div>
      <FailingNow />
      <FilterBar filters={filters} onChange={(to) => void navigate({ to: '/', search: to, replace: true })} />
      <Failure error={list.error} />
      <section
        ref={place}
        className="list"
        aria-label="Sessions"
        aria-busy={list.isPending}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
        tabIndex={0}
      >
        {list.isSuccess && rows.length === 0 && !hasNextPage && <p className="dim">None.</p>}
        <ul className="virtual" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ key, index, start }) => {
            const row = rows[index];
            return (
              row && (
                <li key={key} style={{ height: ROW, transform: `translateY(${start}px)` }}>
                  <Row row={row} />
                </li>
              )
            );
          })}
        </ul>
      </section>
    </div>
  );
}

function Row({ row }: { readonly row: SessionRow }) {
  const { sessionId, agent, state, reason, title, source, user, movedAt, steps, totals, message } = row;
  const tone = toneOf(state);
  const why = tone === 'bad' || tone === 'warn' ? (message ?? (reason && reasonWords[reason])) : undefined;
  return (
    <Link to="/sessions/$sessionId" params={{ sessionId }} className={`session-row ${tone}`}>
      <span className="title">
        <span className="clip">{plain(title) || sessionId}</span>
        <span className="clip dim">{why ?? `${agent} · ${source}${user ? ` · ${user}` : ''}`}</span>
      </span>
      <StateBadge state={state} />
      <span className="figure">
        {count(steps)} {steps === 1 ? 'step' : 'steps'}
      </span>
      <span className="figure">{usd(totals.costUsd)}</span>
      <time className="figure dim" dateTime={movedAt}>
        {new Date(movedAt).toLocaleString()}
      </time>
    </Link>
  );
}
