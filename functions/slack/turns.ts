import { log } from '../../shared/logger.ts';
import type { SlackMessage } from '../../shared/slack/inbound.ts';
import { isDirect } from '../../shared/slack/place.ts';
import type { SlackContext } from './context.ts';

/** Messages of bots in a row that are answered in one thread: then a person must speak. */
const IN_THREAD = 10;
/** Messages of bots that are answered at the top level of a channel in an hour: each begins a thread of its own. */
const AT_TOP = 30;

/** Whether a message is answered: always if a person wrote it, and a limited number of times in a row if bots did. */
export async function isInTurn(
  { place, ts, bot }: Pick<SlackMessage, 'place' | 'ts' | 'bot'>,
  { store, io }: Pick<SlackContext, 'store' | 'io'>,
): Promise<boolean> {
  const { team, channel, thread } = place;
  if (thread === undefined || isDirect(channel)) return bot === undefined;
  const isTop = thread === ts;
  if (bot === undefined) {
    if (!isTop) await store.noteTurn({ team, channel, thread }, ts, 'person', IN_THREAD);
    return true;
  }
  const most = isTop ? AT_TOP : IN_THREAD;
  const row = isTop ? `top-${Math.floor(io.clock.now() / 3_600_000)}` : thread;
  const isWithin = (await store.noteTurn({ team, channel, thread: row }, ts, 'bot', most)) <= most;
  if (!isWithin)
    log('warn', 'a message of a bot is not answered: too many came in a row', { team, channel, bot });
  return isWithin;
}
