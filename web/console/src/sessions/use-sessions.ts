import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { SessionRow } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { arranged, isPartial } from './arranged.ts';
import { askedBy, type Filters, withoutArrangement } from './filters.ts';

/** Ms between two reads; longer if much is listed, since all of it is read again. */
const lookMs = (pages: number): number => (pages <= 3 ? 2_000 : 15_000);

/** Sessions that one request to load more adds when the page filters or sorts them itself. */
const BATCH = 200;

/** How more sessions are loaded: on scrolling, on request, not now because a page is on its way, or there are none. */
export type More = 'scroll' | 'ask' | 'busy' | 'none';

/** The sessions of the filters, as far as they are loaded. */
export function useSessions(filters: Filters) {
  const { client } = useDeployment();
  const list = useInfiniteQuery({
    queryKey: ['sessions', withoutArrangement(filters)],
    queryFn: ({ pageParam }) =>
      client.sessions({ ...askedBy(filters, Date.now()), ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => lookMs(state.data?.pages.length ?? 0),
    placeholderData: keepPreviousData,
  });
  const { cost, ran, sort, up } = filters;
  const all = useMemo(
    () => eachOnce(list.data?.pages.flatMap(({ sessions }) => sessions) ?? []),
    [list.data],
  );
  const rows = useMemo(() => arranged(all, { cost, ran, sort, up }), [all, cost, ran, sort, up]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;

  // A filter that few sessions pass must not load all of them: beyond a batch, the user asks for more.
  const partial = isPartial(filters);
  const [wanted, setWanted] = useState(BATCH);
  const isFilling = partial && hasNextPage && all.length < wanted;
  useEffect(() => {
    if (isFilling && !isFetchingNextPage) void fetchNextPage();
  }, [isFilling, isFetchingNextPage, fetchNextPage]);

  const loadMore = useCallback(() => {
    if (partial) setWanted(all.length + BATCH);
    else void fetchNextPage();
  }, [partial, all.length, fetchNextPage]);
  return { list, rows, loaded: all.length, more: moreOf(), loadMore };

  function moreOf(): More {
    if (!hasNextPage) return list.isPending ? 'busy' : 'none';
    if (isFetchingNextPage || isFilling) return 'busy';
    return partial ? 'ask' : 'scroll';
  }
}

/** A session that moves while pages are read is on two of them: the first entry is the latest. */
const eachOnce = (rows: readonly SessionRow[]): readonly SessionRow[] => {
  const seen = new Set<string>();
  return rows.filter(({ sessionId }) => !seen.has(sessionId) && seen.add(sessionId));
};
