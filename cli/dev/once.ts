/** `steploop dev --once`: one message, one run, then exit. */

import { setTimeout as pause } from 'node:timers/promises';
import { paint } from '../../local/paint.ts';
import { say } from '../../local/say.ts';
import { terminal } from '../../local/terminal.ts';
import { watch } from '../../local/watch.ts';
import { connect } from '../../web/client/index.ts';
import { Failed } from '../ends.ts';
import { spoken } from './say.ts';
import { openServed } from './served.ts';
import type { Start } from './start.ts';

/** How long the run may take. */
const WITHIN_MS = 120_000;

/** Resolves with 0 if the run completed. */
export async function once(start: Start): Promise<number> {
  const served = await openServed(start, (line, nameOf) => {
    const said = spoken(line, nameOf);
    if (said !== undefined) say(paint('dim', said));
  });
  const { addresses, apiToken, deployed } = served.running().site;
  const [first] = deployed.facts.agents;
  if (!first) throw new Failed('The definition has no agents.');
  const client = connect({ httpUrl: addresses.HttpUrl, socketUrl: addresses.SocketUrl, token: apiToken });
  start.closing.add('the client', client.close);
  const message = start.options.once ?? '';
  const { sessionId } = await client.createSession({ agent: first.name, message });
  const show = terminal({
    write: (text) => process.stdout.write(text),
    paint,
    width: process.stdout.columns ?? 120,
  });
  const result = await Promise.race([watch(client, { sessionId }, show), late()]);
  if (result.state === 'completed') return 0;
  throw new Failed(`The run ended as ${result.state}: ${result.message ?? result.reason}`);
}

async function late(): Promise<never> {
  await pause(WITHIN_MS, undefined, { ref: false });
  throw new Failed(`The run did not end within ${WITHIN_MS / 1000} s.`);
}
