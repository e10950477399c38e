/** The objects that the hooks of a page share: one client, and one of each store. */

import type { Client } from '../client/connect.ts';
import { whileHeld } from './store.ts';

/** A client, or a function that creates one in the browser. */
export type ClientSource = Client | (() => Client);

/** One for each provider. Creating it does nothing: the client is created when it is first needed. */
export class Deployment {
  readonly #source: ClientSource;
  readonly #stores = new Map<string, unknown>();
  #made: Client | undefined;

  constructor(source: ClientSource) {
    this.#source = source;
  }

  /** The client. Throws if creating it throws. */
  get client(): Client {
    if (typeof this.#source !== 'function') return this.#source;
    this.#made ??= this.#source();
    return this.#made;
  }

  /**
   * The store of that name, the same for all callers. It is never removed, which costs little: a store without
   * subscribers is empty.
   */
  kept<S>(name: string, make: () => S): S {
    const there = this.#stores.get(name) ?? make();
    this.#stores.set(name, there);
    return there as S;
  }

  /**
   * Holds the connection. A client that was created here is closed when its last holder leaves; a client that was
   * passed in is left open.
   */
  readonly hold = whileHeld(() => () => {
    this.#made?.close();
    this.#made = undefined;
  });
}
