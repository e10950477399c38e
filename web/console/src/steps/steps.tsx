import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { StepInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { StepDetail } from './detail.tsx';
import { costsSoFar, restBefore } from './growth.ts';
import { Legend } from './legend.tsx';
import { totalMs } from './phases.ts';
import { StepHead } from './step-head.tsx';
import { Timeline } from './timeline.tsx';

/** The session's steps: a list, newest first, whose steps open to their details; or a timeline. */
export function Steps({ sessionId }: { readonly sessionId: string }) {
  const { client } = useDeployment();
  const place = useRef<HTMLElement>(null);
  const [isTimeline, setTimeline] = useState(false);
  const list = useInfiniteQuery({
    queryKey: ['steps', sessionId],
    queryFn: ({ pageParam }) =>
      client.steps(sessionId, { order: 'newest', limit: 100, ...(pageParam && { from: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
  const steps = useMemo(() => list.data?.pages.flatMap((page) => page.steps) ?? [], [list.data]);
  const soFar = costsSoFar(steps, list.data?.pages[0]?.costUsd ?? 0);
  const longest = Math.max(1, ...steps.map(totalMs));
  const rows = useVirtualizer({
    count: steps.length,
    getScrollElement: () => place.current,
    estimateSize: () => 60,
    getItemKey: (index) => keyOf(steps[index], index),
    overscan: 10,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  useEffect(() => {
    if (!isTimeline && hasNextPage && !isFetchingNextPage && last >= steps.length - 20) void fetchNextPage();
  }, [isTimeline, hasNextPage, isFetchingNextPage, fetchNextPage, last, steps.length]);

  return (
    <section
      ref={place}
      className="steps"
      aria-label="Steps"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
      tabIndex={0}
    >
      <div className="row">
        <h2>Steps</h2>
        <button
          type="button"
          className="quiet small"
          aria-pressed={isTimeline}
          onClick={() => setTimeline(!isTimeline)}
        >
          Timeline
        </button>
        <Legend />
      </div>
      <Failure error={list.error} />
      {list.isSuccess && steps.length === 0 && <p className="dim">No steps yet.</p>}
      {isTimeline ? (
        <Timeline
          steps={steps}
          place={place}
          onEarlier={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
        />
      ) : (
        <ol className="virtual" style={{ height: rows.getTotalSize() }}>
          {shown.map(({ key, index, start }) => {
            const step = steps[index];
            return (
              step && (
                <li
                  key={key}
                  ref={rows.measureElement}
                  data-index={index}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <StepDetail sessionId={sessionId} step={step}>
                    <StepHead
                      step={step}
                      longest={longest}
                      soFar={soFar[index] ?? 0}
                      rest={restBefore(step, steps[index + 1])}
                    />
                  </StepDetail>
                </li>
              )
            );
          })}
        </ol>
      )}
    </section>
  );
}

/** A step without a slot is identified by its run and number. */
const keyOf = (step: StepInfo | undefined, index: number): string =>
  step ? `${step.slots[0] ?? `${step.runId}-${step.step}`}-${step.kind}` : String(index);
