/** Where the deployment of a project on this machine is, for commands beside it: kept in the folder of its state. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const Reach = z.strictObject({ httpUrl: z.string(), token: z.string() });

/** An HTTP API, and who asks it. */
export type Reach = z.infer<typeof Reach>;

const fileIn = (data: string): string => join(data, 'deployment.json');

/** Only its owner can read it: a token is in it, which is as good for this deployment as the state beside it. */
export function keepReach(data: string, reach: Reach): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(fileIn(data), `${JSON.stringify(reach)}\n`, { mode: 0o600 });
}

/** That of the last start with this folder, which may have ended since; undefined when there was none. */
export function reachIn(data: string): Reach | undefined {
  try {
    return Reach.parse(JSON.parse(readFileSync(fileIn(data), 'utf8')));
  } catch {
    return undefined;
  }
}
