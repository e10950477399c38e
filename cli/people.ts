import { setTimeout } from 'node:timers/promises';
import { type HttpClient, httpClient, type PersonErasure } from '../web/client/index.ts';
import { parse } from './arguments.ts';
import { isMeant } from './confirm.ts';
import { Failed, WrongUsage } from './ends.ts';
import { failureOf, placeOf, places } from './sessions/place.ts';

const usage = `steploop people delete USER [--yes] [--wait] [--json]
                                    everything that is stored of a person: sessions that they began, memories, uploads. Asks first,
                                    unless --yes is given; --wait waits until all that was found is deleted
steploop people show USER [--json]  how far that is

USER is a subject: user:<sub> for JWTs, slack:<team>:<user>, key:<keyId>, or operator. steploop sessions list shows it.

${places}

Exit codes: 0 done. 1 failed. 2 the command line is invalid.`;

/** Time in ms between two looks: the sweeper runs once a minute. */
const LOOK_MS = 5_000;

/** `steploop people`: uses the public HTTP API. */
export async function people(args: readonly string[]): Promise<number> {
  const flag = { type: 'boolean' } as const;
  const options = { json: flag, yes: flag, wait: flag };
  const parsed = parse(args, { usage, options, words: 2 });
  if (!parsed) return 0;
  const [what, user] = parsed.positionals;
  if ((what !== 'delete' && what !== 'show') || !user)
    throw new WrongUsage(`Name a command and a person.\n\n${usage}`);
  const { json = false, yes = false, wait = false } = parsed.values;
  const place = placeOf(process.env, process.cwd());
  try {
    const client = httpClient(place);
    const erasure = what === 'show' ? await client.erasure(user) : await erase(client, user, { yes, wait });
    console.log(json ? JSON.stringify(erasure, null, 2) : linesOf(erasure).join('\n'));
    return 0;
  } catch (error) {
    throw failureOf(error, place.httpUrl);
  }
}

async function erase(
  client: HttpClient,
  user: string,
  { yes, wait }: { readonly yes: boolean; readonly wait: boolean },
): Promise<PersonErasure> {
  const question = `This deletes everything that is stored of ${user}. Type the name again: `;
  if (!yes && !(await isMeant(user, question)))
    throw new Failed(`Nothing of ${user} was deleted. Type the name when asked, or pass --yes.`);
  let erasure = await client.erasePerson(user);
  while (wait && erasure.state === 'erasing') {
    await setTimeout(LOOK_MS);
    erasure = await client.erasure(user);
  }
  return erasure;
}

/** How far a deletion is, for people. */
export function linesOf(erasure: PersonErasure): string[] {
  const { user, erasureId, state, requestedAt, goneBy, doneAt, sessions, memories, uploads } = erasure;
  const states = {
    erasing: 'erasing: the sweeper deletes data every minute',
    erased: `erased: nothing that was found is stored; the last look for late writes is after ${goneBy}`,
    done: `done at ${doneAt}`,
  };
  return [
    `person    ${user}`,
    `erasure   ${erasureId}, requested at ${requestedAt}`,
    `state     ${states[state]}`,
    `sessions  ${sessions.erased} erased, ${sessions.left} left`,
    `memories  ${memories} erased`,
    `uploads   ${uploads} erased`,
  ];
}
