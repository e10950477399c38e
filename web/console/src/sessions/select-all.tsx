import { useEffect, useRef } from 'react';
import type { SessionRow } from '../../../client/index.ts';

interface SelectAllProps {
  readonly rows: readonly SessionRow[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (sessionIds: readonly string[], isSelected: boolean) => void;
  /** A label next to the box; by default it is for screen readers only. */
  readonly isLabelled?: boolean;
}

/** Selects all loaded sessions, or none. */
export function SelectAll({ rows, selected, onSelect, isLabelled = false }: SelectAllProps) {
  const box = useRef<HTMLInputElement>(null);
  const all = rows.length > 0 && rows.every(({ sessionId }) => selected.has(sessionId));
  const some = !all && selected.size > 0;
  useEffect(() => {
    if (box.current) box.current.indeterminate = some;
  }, [some]);
  return (
    <label className="row">
      <input
        ref={box}
        type="checkbox"
        checked={all}
        onChange={({ target }) =>
          onSelect(
            rows.map(({ sessionId }) => sessionId),
            target.checked,
          )
        }
      />
      <span className={isLabelled ? undefined : 'hidden'}>Select all loaded sessions</span>
    </label>
  );
}
