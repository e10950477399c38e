/**
 * Many Slack threads under every fault that can occur: in one process, on a virtual clock, from one seed. The app's own
 * functions, session core, delivery and channel run on memory ports against an in-memory Slack with Slack's rules
 * (`local/slack/emulated/message-rules.ts`).
 */

import { createRandom } from '../../sim/random.ts';
import { hashedAtOnce } from '../hashed-at-once.ts';
import { liveIn, type Subject } from './people.ts';
import { verify } from './verify.ts';
import { soakWorld } from './world.ts';

export interface SoakOptions {
  readonly seed: number;
  readonly threads: number;
  readonly channels: number;
  readonly say?: (line: string) => void;
}

/** Up to four threads begin in one second. */
const TICK_MS = 250;
/** Time within which a soak must come to rest, in ms of its clock. */
const MOST_MS = 48 * 3_600_000;

export async function runSoak(options: SoakOptions) {
  using _ = hashedAtOnce();
  return await soakOf(options);
}

async function soakOf({ seed, threads, channels, say = () => {} }: SoakOptions) {
  const random = createRandom(seed);
  const places = Array.from({ length: channels }, (_, i) => `C${String(i + 1).padStart(4, '0')}SOAK`);
  // One channel in ten is in a workspace that allows no edits.
  const fixed = new Set(places.filter((_, i) => i % 10 === 9));
  const soak = await soakWorld(fixed, random);
  const { clock } = soak.world;
  const begun = clock.now();

  const subjects: Subject[] = [];
  let alive = 0;
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
  };
  while (!failure && (subjects.length < threads || alive > 0 || !soak.atRest())) {
    if (subjects.length < threads && random.chance(0.3)) {
      const n = subjects.length + 1;
      const subject: Subject = {
        n,
        channel: random.pick(places),
        user: `U${String(random.between(1, 40)).padStart(4, '0')}SOAK`,
        thread: `${Math.floor(clock.now() / 1_000)}.${String(n).padStart(6, '9')}`,
        plans: [],
        clicks: [],
        deleted: [],
      };
      subjects.push(subject);
      alive += 1;
      liveIn(subject, soak, random)
        .catch(fail)
        .finally(() => {
          alive -= 1;
        });
      if (n % 50 === 0) say(`${n} of ${threads} threads begun`);
    }
    if (random.chance(0.02)) soak.slack.leave(random.pick(places), Math.round(random.scale(3_000, 180_000)));
    soak.pump(fail);
    await clock.advance(TICK_MS);
    if (clock.now() - begun > MOST_MS) throw new Error('the soak does not come to rest');
  }
  if (failure) throw failure;

  const verified = await Promise.all(
    subjects.map((subject) => verify(subject, fixed.has(subject.channel), soak)),
  );
  const clicks = subjects.flatMap((subject) => subject.clicks);
  const { slack, state, paid, whispers } = soak;
  return {
    ...{ seed, threads, channels, minutes: Math.round((clock.now() - begun) / 60_000) },
    runs: verified.reduce((sum, { runs }) => sum + runs, 0),
    characters: verified.reduce((sum, { said }) => sum + said, 0),
    messages: slack.memory.messages.length,
    plans: slack.memory.messages.filter(({ plan }) => plan).length,
    ...slack.figures,
    killed: state.killed,
    deleted: subjects.reduce((sum, { deleted }) => sum + deleted.length, 0),
    stops: clicks.filter(({ action }) => action === 'stop').length,
    decisions: clicks.filter(({ action }) => action !== 'stop').length,
    paid: paid.length,
    whispers: whispers.length,
    wrong: verified.flatMap(({ wrong }) => wrong),
  };
}
