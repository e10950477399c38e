import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { SessionRow } from '../../../client/index.ts';
import { count } from '../parts/words.ts';
import { type BulkAction, bulkActions } from './bulk.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { actionWords } from './bulk-words.ts';

interface BulkBarProps {
  readonly rows: readonly SessionRow[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (sessionIds: readonly string[], isSelected: boolean) => void;
  readonly onClear: () => void;
}

/** Actions for the selected sessions. Selected sessions that the filters hide are not touched. */
export function BulkBar({ rows, selected, onSelect, onClear }: BulkBarProps) {
  // The sessions of the dialog stay the same while the list behind it is read again.
  const [open, setOpen] = useState<{ action: BulkAction; rows: readonly SessionRow[] }>();
  const chosen = selected.size === 0 ? [] : rows.filter(({ sessionId }) => selected.has(sessionId));
  // The older one is A.
  const [one, other] = chosen.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  const close = () => setOpen(undefined);
  return (
    <>
      {chosen.length > 0 && (
        <section className="row selection" aria-label="Selected sessions">
          <strong role="status">{count(chosen.length)} selected</strong>
          {one && other && chosen.length === 2 && (
            <Link to="/compare" search={{ a: one.sessionId, b: other.sessionId }} className="button">
              Compare
            </Link>
          )}
          {bulkActions.map((action) => (
            <button
              key={action}
              type="button"
              className={action === 'delete' ? 'danger' : undefined}
              onClick={() => setOpen({ action, rows: chosen })}
            >
              {actionWords[action].name} …
            </button>
          ))}
          <button type="button" className="quiet" onClick={onClear}>
            Clear selection
          </button>
        </section>
      )}
      {open && <BulkDialog {...open} onDone={(sessionId) => onSelect([sessionId], false)} onClose={close} />}
    </>
  );
}
