/** The one of `known` that `word` was most likely meant to be; undefined if none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const far = Math.max(2, Math.floor(word.length / 2));
  return known
    .map((name) => ({ name, distance: distance(plain(word), plain(name)) }))
    .filter(({ distance }) => distance <= far)
    .sort((a, b) => a.distance - b.distance)[0]?.name;
}

/** So that `max_steps` is read as `maxSteps`. */
const plain = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Letters to insert, delete or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(
        Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
