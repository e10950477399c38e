import type { Fields } from '../rule.ts';

/** The memory of a server of its own items, which the real one has by their ids and by what they encrypt. */
export interface GivenItems {
  /** Records the items of a reply, in their order. */
  took(items: readonly Fields[]): void;
  /** Whether it has encrypted exactly this content. */
  encrypted(content: unknown): boolean;
  /** The id of the item that followed this one in its reply, if this one is reasoning. */
  after(id: unknown): unknown;
  /** The id of the reasoning that came right before this item. */
  before(id: unknown): unknown;
}

export function givenItems(): GivenItems {
  const contents = new Set<unknown>();
  const after = new Map<unknown, unknown>();
  const before = new Map<unknown, unknown>();
  return {
    took(items) {
      for (const [at, item] of items.entries()) {
        if (item.type !== 'reasoning') continue;
        if (item.encrypted_content) contents.add(item.encrypted_content);
        const next = items[at + 1];
        if (!next) continue;
        after.set(item.id, next.id);
        before.set(next.id, item.id);
      }
    },
    encrypted: (content) => contents.has(content),
    after: (id) => after.get(id),
    before: (id) => before.get(id),
  };
}
