import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useKept } from '../parts/kept.ts';
import { Menu } from '../parts/menu.tsx';
import type { ColumnId } from './column-ids.ts';
import type { Filters } from './filters.ts';
import { MAX_NAME, readViews, withView } from './views.ts';

interface ViewMenuProps {
  readonly filters: Filters;
  readonly columns: readonly ColumnId[];
  readonly onColumns: (columns: readonly ColumnId[]) => void;
}

/** Saved views: links that carry their filters, so that they can be copied and shared. */
export function ViewMenu({ filters, columns, onColumns }: ViewMenuProps) {
  const [views, keep] = useKept('steploop.views', readViews);
  const [name, setName] = useState('');
  const save = (event: FormEvent) => {
    event.preventDefault();
    keep(withView(views, { name: name.trim(), filters, columns }));
    setName('');
  };
  return (
    <Menu label="Views">
      {views.length === 0 ? (
        <p className="dim">No saved views yet.</p>
      ) : (
        <ul className="plain-list stack" aria-label="Saved views">
          {views.map((view) => (
            <li key={view.name} className="row">
              <Link
                to="/"
                search={view.filters}
                className="grow view-link"
                onClick={() => onColumns(view.columns)}
              >
                {view.name}
              </Link>
              <button
                type="button"
                className="quiet small"
                aria-label={`Delete view ${view.name}`}
                onClick={() => keep(views.filter((other) => other !== view))}
              >
                Delete
              </button>
            </li>
          ))}
        </ul>
      )}
      <form className="row" onSubmit={save}>
        <input
          aria-label="Name of the view"
          placeholder="Name"
          maxLength={MAX_NAME}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <button type="submit" disabled={name.trim() === ''}>
          Save
        </button>
      </form>
      <p className="dim">Saves filters, sorting and columns on this device.</p>
    </Menu>
  );
}
