/** Items in their order, some at a time: the last group may be smaller. */
export function* groupsOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
