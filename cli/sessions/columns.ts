import type { Paint } from '../../local/paint.ts';

/**
 * Formats rows of cells as padded columns; the first row is the header. The last column takes the rest of the width, at least 20
 * characters, and is cut.
 */
export function columns(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string[][] {
  const widths = names.map((name, i) =>
    rows.reduce((most, row) => Math.max(most, row[i]?.length ?? 0), name.length),
  );
  const left = Math.max(20, width - widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0));
  return [names, ...rows].map((row) =>
    row.map((cell, i) => (i === names.length - 1 ? cell.slice(0, left) : cell.padEnd(widths[i] ?? 0))),
  );
}

/** The same as lines, with a dim header. */
export function tableLines(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  { paint, width }: { readonly paint: Paint; readonly width: number },
): string[] {
  const [head = '', ...lines] = columns(names, rows, width).map((cells) => cells.join('  ').trimEnd());
  return [paint('dim', head), ...lines];
}
