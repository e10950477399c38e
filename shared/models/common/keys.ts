import { KeyFault } from './failure.ts';

/** The keys of one call. */
export interface Keys {
  /** Rejects with `KeyFault`, or if the call was aborted. */
  look(refresh: boolean): Promise<string>;
  /** The keys that were used, to keep them out of messages. */
  used(): readonly string[];
}

export function keysOf(lookUp: (refresh: boolean) => Promise<string>, signal: AbortSignal): Keys {
  const used: string[] = [];
  return {
    async look(refresh) {
      signal.throwIfAborted();
      // A secret is often stored with the newline of the file it came from.
      const key = (await unlessAborted(lookUp(refresh).catch(asKeyFault), signal)).trim();
      used.push(key);
      if (!/^[\x21-\x7e]+$/.test(key))
        throw new KeyFault('invalid_key', 'The model key is empty or malformed.');
      return key;
    },
    used: () => used,
  };
}

function asKeyFault(error: unknown): never {
  const name = error instanceof Error ? error.name : 'unknown error';
  throw new KeyFault('key_unavailable', `The model key could not be looked up (${name}).`);
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
