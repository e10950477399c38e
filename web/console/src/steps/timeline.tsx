import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useMemo } from 'react';
import type { StepInfo } from '../../../client/index.ts';
import { duration } from '../parts/words.ts';
import { phaseWords } from './phases.ts';
import { type Scale, scaleOf, type TimelineRow, timelineOf } from './timeline.ts';

interface TimelineProps {
  /** Newest first. */
  readonly steps: readonly StepInfo[];
  /** The element that scrolls. */
  readonly place: RefObject<HTMLElement | null>;
  /** Loads earlier steps; undefined if there are none. */
  readonly onEarlier: (() => void) | undefined;
}

/** Px of a line. */
const ROW = 28;

/** Steps, waits, calls and children over time, oldest first. */
export function Timeline({ steps, place, onEarlier }: TimelineProps) {
  const rows = useMemo(() => timelineOf(steps), [steps]);
  const scale = useMemo(() => scaleOf(rows), [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 10,
  });
  return (
    <>
      <p className="dim">
        Waits and idle times are shortened. Calls are drawn from the start of their batch, because the start
        of each one is not recorded; those of other agents over the time that their step waited.
      </p>
      {onEarlier && (
        <button type="button" onClick={onEarlier}>
          Load earlier steps
        </button>
      )}
      <ol className="virtual timeline" aria-label="Timeline" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index];
          return (
            row && (
              <li
                key={key}
                className={row.kind === 'step' ? 'begins-step' : 'below-step'}
                style={{ height: ROW, transform: `translateY(${start}px)` }}
              >
                <Line row={row} scale={scale} />
              </li>
            )
          );
        })}
      </ol>
    </>
  );
}

function Line({
  row: { words, ms, bars, call },
  scale,
}: {
  readonly row: TimelineRow;
  readonly scale: Scale;
}) {
  return (
    <>
      <span className="clip words" title={words}>
        {call?.child === undefined ? (
          words
        ) : (
          <Link to="/sessions/$sessionId" params={{ sessionId: call.child }}>
            {words}
          </Link>
        )}
      </span>
      <span className="figure dim">{duration(ms)}</span>
      <span className="track" aria-hidden="true">
        {bars.map(({ name, from, ms: length }) => (
          <span
            key={name}
            className={`phase ${name}`}
            title={`${duration(length)} ${phaseWords[name]}`}
            style={{
              // The shortest bar has two pixels, also at the end.
              left: `min(${100 * scale(from)}%, 100% - 2px)`,
              width: `${100 * (scale(from + length) - scale(from))}%`,
            }}
          />
        ))}
      </span>
    </>
  );
}
