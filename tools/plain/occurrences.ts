/**
 * Where a part occurs in a text, without overlaps: in the time of both together (Knuth, Morris and Pratt). The platform's `indexOf` is
 * faster on most texts, and takes a minute for 40 KB in 4 MB that are alike, in which a worker does nothing else. Pure.
 */
export function* occurrences(text: string, part: string): Generator<number> {
  const borders = bordersOf(part);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    while (length > 0 && part.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(length) === code) length++;
    if (length < part.length) continue;
    yield i + 1 - length;
    length = 0;
  }
}

/** Of each beginning of the part, how much of its end is a beginning too. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  let length = 0;
  for (let i = 1; i < part.length; i++) {
    const code = part.charCodeAt(i);
    while (length > 0 && part.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(length) === code) length++;
    borders[i] = length;
  }
  return borders;
}
