/**
 * Pages that leave and return while calls of their tools wait: in one process, on a virtual clock, from one seed. AG-UI's own
 * client talks to the door and the core on memory ports.
 */

import { createRandom } from '../../sim/random.ts';
import { hashedAtOnce } from '../hashed-at-once.ts';
import { live, type Person, sentBy } from './people.ts';
import { verify } from './verify.ts';
import { soakWorld } from './world.ts';

export interface SoakOptions {
  readonly seed: number;
  readonly pages: number;
  readonly say?: (line: string) => void;
}

const TICK_MS = 250;
/** Time within which a soak must come to rest, in ms of its clock. */
const MOST_MS = 24 * 3_600_000;

export async function runSoak({ seed, pages, say = () => {} }: SoakOptions) {
  using _ = hashedAtOnce();
  const random = createRandom(seed);
  const soak = soakWorld(random);
  const { clock } = soak.world;
  const begun = clock.now();
  const people: Person[] = [];
  let alive = 0;
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
  };
  while (!failure && (people.length < pages || alive > 0 || !soak.atRest())) {
    if (people.length < pages && random.chance(0.3)) {
      const person: Person = {
        ...{ n: people.length + 1, plans: [], tabs: [] },
        ...{ interruptions: 0, reloads: 0, seconds: 0 },
      };
      people.push(person);
      alive += 1;
      live(person, soak, random)
        .catch(fail)
        .finally(() => {
          alive -= 1;
        });
      if (person.n % 50 === 0) say(`${person.n} of ${pages} pages opened`);
    }
    soak.pump(fail);
    await clock.advance(TICK_MS);
    if (clock.now() - begun > MOST_MS) throw new Error('the soak does not come to rest');
  }
  if (failure) throw failure;

  const minutes = Math.round((clock.now() - begun) / 60_000);
  const verified = [];
  for (const person of people) verified.push(await verify(person, soak));
  const sum = (of: (person: Person) => number) => people.reduce((all, person) => all + of(person), 0);
  return {
    ...{ seed, pages, minutes },
    calls: verified.reduce((all, { calls }) => all + calls, 0),
    answered: verified.reduce((all, { answered }) => all + answered, 0),
    sent: sum((person) => sentBy(person).length),
    late: sum((person) => sentBy(person).filter(({ late }) => late).length),
    reloads: sum(({ reloads }) => reloads),
    tabs: sum(({ seconds }) => seconds),
    interruptions: sum(({ interruptions }) => interruptions),
    cuts: soak.cuts,
    killed: soak.state.killed,
    wrong: verified.flatMap(({ wrong }) => wrong),
  };
}
