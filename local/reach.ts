/** The address of a project's deployment on this machine, for other commands: kept in the folder of its state. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const Reach = z.strictObject({ httpUrl: z.string(), token: z.string() });

/** An HTTP API, and a token for it. */
export type Reach = z.infer<typeof Reach>;

const fileIn = (data: string): string => join(data, 'deployment.json');

/** Only its owner can read it, because it contains a token, which gives the same access to this deployment as the state next to it. */
export function keepReach(data: string, reach: Reach): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(fileIn(data), `${JSON.stringify(reach)}\n`, { mode: 0o600 });
}

/** The address of the last start with this folder, which may have ended since; undefined if there was none. */
export function reachIn(data: string): Reach | undefined {
  try {
    return Reach.parse(JSON.parse(readFileSync(fileIn(data), 'utf8')));
  } catch {
    return undefined;
  }
}
