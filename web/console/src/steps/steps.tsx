import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { StepInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { duration, usd } from '../parts/words.ts';
import { StepDetail } from './detail.tsx';
import { phasesOf, totalMs } from './phases.ts';

/** What the session did, step by step, the newest first; each opens to all of it. */
export function Steps({ sessionId }: { readonly sessionId: string }) {
  const { client } = useDeployment();
  const place = useRef<HTMLElement>(null);
  const list = useInfiniteQuery({
    queryKey: ['steps', sessionId],
    queryFn: ({ pageParam }) =>
      client.steps(sessionId, { order: 'newest', limit: 100, ...(pageParam && { from: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
  const steps = list.data?.pages.flatMap((page) => page.steps) ?? [];
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
    if (hasNextPage && !isFetchingNextPage && last >= steps.length - 20) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, steps.length]);

  return (
    <section
      ref={place}
      className="steps"
      aria-label="Steps"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
      tabIndex={0}
    >
      <h2>Steps</h2>
      <Failure error={list.error} />
      {list.isSuccess && steps.length === 0 && <p className="dim">None has been done yet.</p>}
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
                <Step sessionId={sessionId} step={step} longest={longest} />
              </li>
            )
          );
        })}
      </ol>
    </section>
  );
}

/** A step that has no slot yet has its run and number. */
const keyOf = (step: StepInfo | undefined, index: number): string =>
  step ? `${step.slots[0] ?? `${step.runId}-${step.step}`}-${step.kind}` : String(index);

const kinds = { model: 'Step', fold: 'Fold before step', made: 'Calls of the system before step' } as const;

interface StepProps {
  readonly sessionId: string;
  readonly step: StepInfo;
  /** Ms of the longest one, which fills the line. */
  readonly longest: number;
}

function Step({ sessionId, step, longest }: StepProps) {
  const { kind, costUsd, lost, verdicts, calls, stop, attempt = 1, retries = 0 } = step;
  const total = totalMs(step);
  return (
    <StepDetail sessionId={sessionId} step={step}>
      <span className="row">
        <strong>
          {kinds[kind]} {step.step}
        </strong>
        {kind === 'model' && stop === undefined && <span className="badge bad">no reply</span>}
        {attempt > 1 && <span className="badge bad">attempt {attempt}: its worker died</span>}
        {retries > 0 && <span className="badge warn">{retries} tries before</span>}
        {lost && <span className="badge bad">{usd(lost.costUsd)} for nothing</span>}
        {verdicts.map(({ guard, code }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a journal only grows
          <span key={i} className="badge warn" title={code}>
            {guard}
          </span>
        ))}
        <span className="grow" />
        {total > 0 && <span className="figure">{duration(total)}</span>}
        {costUsd !== undefined && <span className="figure">{usd(costUsd)}</span>}
      </span>
      <span className="waterfall" aria-hidden="true">
        {phasesOf(step).map(({ name, ms }) => (
          <span
            key={name}
            className={`phase ${name}`} // Waiting may last for days, and is no work: it has a mark.
            style={{ width: name === 'wait' ? 8 : `${(100 * ms) / longest}%` }}
          />
        ))}
      </span>
      <span className="clip dim">
        {calls.map(({ name, outcome }) => (outcome === 'ok' ? name : `${name} (${outcome})`)).join(', ') ||
          step.text}
      </span>
    </StepDetail>
  );
}
