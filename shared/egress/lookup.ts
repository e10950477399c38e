import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { mayCall } from './addresses.ts';

/** All addresses of a name. Rejects when it has none. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** A name leads to an address that may not be called. */
export class AddressRefused extends Error {
  override name = 'AddressRefused';

  constructor(hostname: string) {
    super(`${hostname} leads to an address that is not public`);
  }
}

/**
 * A lookup whose answer has been checked: the connection is made to the checked address and nothing else, so a name
 * that leads elsewhere a moment later (DNS rebinding) has no effect. One refused address among several refuses them
 * all. A URL that contains an address needs no lookup: `parsePublicUrl` has checked it.
 */
export function lookupPublic(allowLoopback: boolean, resolve: Resolve = systemResolve): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async () => {
      const addresses = await resolve(hostname);
      const local = allowLoopback && hostname === 'localhost';
      if (addresses.length === 0 || !addresses.every(({ address }) => mayCall(address, local))) {
        throw new AddressRefused(hostname);
      }
      return addresses;
    };
    answer().then(
      (addresses) => {
        const [{ address, family } = { address: '', family: 0 }] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, address, family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}

/** Asks the system, as every connection of Node does. */
export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    dnsLookup(hostname, { all: true, verbatim: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });
