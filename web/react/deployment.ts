/** What the hooks of a page share: one client, and one of each store. */

import type { Client } from '../client/connect.ts';
import { whileHeld } from './store.ts';

/** A client, or what makes one in the browser. */
export type ClientSource = Client | (() => Client);

/** One for each provider. Making it does nothing: the client is made when something is first asked of it. */
export class Deployment {
  readonly #source: ClientSource;
  readonly #stores = new Map<string, unknown>();
  #made: Client | undefined;

  constructor(source: ClientSource) {
    this.#source = source;
  }

  /** The client. Throws what making it throws. */
  get client(): Client {
    if (typeof this.#source !== 'function') return this.#source;
    this.#made ??= this.#source();
    return this.#made;
  }

  /** The store of that name, the same for all who ask. It stays, which is little: a store that nobody looks at is empty. */
  kept<S>(name: string, make: () => S): S {
    const there = this.#stores.get(name) ?? make();
    this.#stores.set(name, there);
    return there as S;
  }

  /** Holds the connection. A client that was made here is closed when nobody does; one that was handed in belongs to whoever made it. */
  readonly hold = whileHeld(() => () => {
    this.#made?.close();
    this.#made = undefined;
  });
}
