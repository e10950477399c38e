import { join } from 'node:path';
import { type Reach, reachIn } from '../../local/reach.ts';
import { ProblemError } from '../../web/client/index.ts';
import { Failed, WrongUsage } from '../ends.ts';

export const places = `The deployment is that of STEPLOOP_URL (the stack's output HttpUrl), with STEPLOOP_TOKEN: a token, an API key or a JWT
for it. They come from the environment, because other users of the machine can read a command line. Without
STEPLOOP_URL it is the one that steploop dev or npm start runs here, with its state in .data. One that runs with --ephemeral or
--data needs both: it prints its address and its token.`;

/** The deployment to use. Throws {@link WrongUsage} if none is given. */
export function placeOf(env: NodeJS.ProcessEnv, folder: string): Reach {
  const { STEPLOOP_URL: httpUrl, STEPLOOP_TOKEN: token } = env;
  if (httpUrl && token) return { httpUrl, token };
  if (httpUrl) throw new WrongUsage(`STEPLOOP_TOKEN is not set.\n\n${places}`);
  const here = reachIn(join(folder, '.data'));
  if (!here) throw new WrongUsage(`STEPLOOP_URL is not set, and no deployment has run here.\n\n${places}`);
  return here;
}

/** The failure of a request, as a sentence: a refusal, or an address that cannot be reached. */
export function failureOf(error: unknown, url: string): Failed {
  if (error instanceof Failed) return error;
  const { message, cause } = error as Error;
  return new Failed(
    error instanceof ProblemError
      ? message
      : `${url} cannot be reached: ${cause instanceof Error ? cause.message : message}`,
  );
}
