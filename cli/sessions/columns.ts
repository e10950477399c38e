/**
 * Rows of cells as columns, padded; the first row is that of the names. The last column takes what is left of the width, 20 characters at
 * least, and is cut.
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
