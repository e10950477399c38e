/**
 * Addresses of model servers that stay the same while the servers behind them change with each test file. The functions of a stack
 * that several files share learn an address once. Requests are handed over in this process, not sent again.
 */

import type { Server } from 'node:http';
import { listening } from './engine.ts';

/** The scripted servers of this process, by their address. */
const known = new Map<string, Server>();

/** Lets fronts lead to a server. */
export function mayBeFronted(url: string, server: Server): void {
  known.set(url, server);
  server.once('close', () => known.delete(url));
}

const serverAt = (url: string): Server | undefined => known.get(new URL(url).origin);

/** Whether a front can lead to this address. */
export const canBeFronted = (url: string): boolean => serverAt(url) !== undefined;

export interface ModelFronts {
  /** Their addresses, by the names of model servers. */
  readonly urls: Readonly<Record<string, string>>;
  /** Makes them lead to these addresses, and ends the requests that are still open. */
  leadTo(urls: Readonly<Record<string, string>>): void;
}

/** Starts fronts for model servers with these names. They end with the process. */
export async function startModelFronts(names: readonly string[]): Promise<ModelFronts> {
  let behind: Readonly<Record<string, string>> = {};
  const { url, server } = await listening((request, response) => {
    const [, name = '', path = ''] = /^\/([^/]+)(.*)$/.exec(request.url ?? '') ?? [];
    const target = behind[name];
    const owner = target === undefined ? undefined : serverAt(target);
    if (target === undefined || owner === undefined) return void response.writeHead(503).end();
    request.url = `${new URL(target).pathname.replace(/\/$/, '')}${path}`;
    owner.emit('request', request, response);
  });
  server.unref();
  return {
    urls: Object.fromEntries(names.map((name) => [name, `${url}/${name}`])),
    leadTo(urls) {
      behind = urls;
      server.closeAllConnections();
    },
  };
}
