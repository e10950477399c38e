/** The columns of the table of sessions, in order. */
const columnIds = [
  ...(['state', 'agent', 'title', 'source', 'user'] as const),
  ...(['steps', 'tokens', 'cost', 'duration', 'activity'] as const),
] as const;
export type ColumnId = (typeof columnIds)[number];

/** Reads a kept choice of columns: unknown names are ignored, and the title is always among them. */
export function readColumns(stored: unknown): readonly ColumnId[] {
  if (!Array.isArray(stored)) return columnIds;
  return columnIds.filter((id) => id === 'title' || stored.includes(id));
}
