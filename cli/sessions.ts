import { httpClient, ProblemError } from '../web/client/http.ts';
import { parse } from './arguments.ts';
import { Failed, WrongUsage } from './ends.ts';

const usage = `steploop sessions show ID
steploop sessions stop ID

Shows a session of a deployment as JSON, or stops its run.

STEPLOOP_URL is the stack's output HttpUrl, STEPLOOP_TOKEN a token, an API key or a JWT for it. They come from the
environment, since what stands on a command line can be read by others on the machine.`;

/** `steploop sessions`: over the HTTP API, as everybody's client. */
export async function sessions(args: readonly string[]): Promise<number> {
  const parsed = parse(args, { usage, options: {}, words: 2 });
  if (!parsed) return 0;
  const [what, sessionId] = parsed.positionals;
  if ((what !== 'show' && what !== 'stop') || !sessionId)
    throw new WrongUsage(`Say what to do, and with which session.\n\n${usage}`);
  const client = httpClient({ httpUrl: wanted('STEPLOOP_URL'), token: wanted('STEPLOOP_TOKEN') });
  try {
    if (what === 'stop') await client.cancel(sessionId);
    console.log(JSON.stringify(await client.session(sessionId), null, 2));
    return 0;
  } catch (error) {
    throw new Failed(error instanceof ProblemError ? error.message : unreachable(error as Error));
  }
}

function wanted(name: string): string {
  const value = process.env[name];
  if (!value) throw new WrongUsage(`${name} is not set.\n\n${usage}`);
  return value;
}

const unreachable = ({ message, cause }: Error): string =>
  `${process.env.STEPLOOP_URL} cannot be reached: ${cause instanceof Error ? cause.message : message}`;
