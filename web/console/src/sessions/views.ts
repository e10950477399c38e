import { type ColumnId, readColumns } from './column-ids.ts';
import { type Filters, filtersOf } from './filters.ts';

/** Filters, sorting and columns under a name. */
export interface SavedView {
  readonly name: string;
  readonly filters: Filters;
  readonly columns: readonly ColumnId[];
}

/** Characters of a view's name. */
export const MAX_NAME = 60;

/** Reads kept views: what cannot be read is left out. */
export function readViews(stored: unknown): readonly SavedView[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((view: Partial<Record<keyof SavedView, unknown>> | null) =>
    typeof view?.name === 'string' && typeof view.filters === 'object' && view.filters !== null
      ? [
          {
            name: view.name,
            filters: filtersOf(view.filters as Record<string, unknown>),
            columns: readColumns(view.columns),
          },
        ]
      : [],
  );
}

/** The views with one more, by name; it replaces a view of the same name. Pure. */
export const withView = (views: readonly SavedView[], added: SavedView): readonly SavedView[] =>
  [...views.filter(({ name }) => name !== added.name), added].sort((a, b) => a.name.localeCompare(b.name));
