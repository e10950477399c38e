/** People with pages: they ask, reload, open second tabs, lose their connection, and write before their page has answered. */

import type { Random } from '../../sim/random.ts';
import { type Plan, promptOf, somePlan } from './plan.ts';
import { type Sent, Tab } from './tab.ts';
import type { SoakWorld } from './world.ts';

/** One person, and what their pages did. */
export interface Person {
  readonly n: number;
  readonly plans: Plan[];
  readonly tabs: Tab[];
  /** Messages that were written while calls waited for a page. */
  interruptions: number;
  reloads: number;
  seconds: number;
}

export const sentBy = ({ tabs }: Person): Sent[] => tabs.flatMap(({ sent }) => sent);

/** Most rounds of a person until all calls of a plan are answered. A page comes back in each. */
const MOST_ROUNDS = 200;

/** The life of one person. Resolves when the session has done everything, and all of their tabs are closed. */
export async function live(person: Person, soak: SoakWorld, random: Random): Promise<void> {
  const others: Promise<void>[] = [];
  let tab = opened(person, soak, random);
  for (let words = random.between(1, 3); words > 0; words--) {
    await say(tab, person, soak, random);
    for (let rounds = 0; !(await isDone(person, soak)); rounds++) {
      if (rounds > MOST_ROUNDS) throw new Error(`the plan of ${person.n} is not done`);
      if (random.chance(0.2)) others.push(secondTab(person, soak, random));
      if (random.chance(0.25)) tab = await reloaded(person, soak, random);
      const isOpen = tab.unanswered().length > 0;
      if (isOpen && words > 1 && random.chance(0.08)) {
        person.interruptions += 1;
        break;
      }
      if (isOpen) await carryOut(tab, soak, random);
      const isWhole = await tab.talk(isOpen || random.chance(0.5) ? 'run' : 'connect');
      // A page without a connection tries again, or its user reloads it.
      if (!isWhole) await soak.world.clock.sleep(random.between(100, 10_000));
      else if (!isOpen) await soak.world.clock.sleep(random.between(1_000, 20_000));
      if (!isOpen && random.chance(0.5)) tab = await reloaded(person, soak, random);
    }
  }
  await Promise.all(others);
}

function opened(person: Person, soak: SoakWorld, random: Random, hasTool = true): Tab {
  const tab = new Tab(person.n, soak, random, hasTool);
  person.tabs.push(tab);
  return tab;
}

/** A new tab in place of the old one, which loses what it had and had not sent. */
async function reloaded(person: Person, soak: SoakWorld, random: Random): Promise<Tab> {
  person.reloads += 1;
  const tab = opened(person, soak, random);
  await tab.talk('connect');
  return tab;
}

async function say(tab: Tab, person: Person, { world }: SoakWorld, random: Random): Promise<void> {
  const plan = somePlan(1_000 * person.n + person.plans.length, random);
  person.plans.push(plan);
  tab.addMessage({ id: `m${plan.n}`, role: 'user', content: promptOf(plan) });
  // A message that was not heard of is sent again, under its id.
  while (!(await tab.talk('run'))) await world.clock.sleep(random.between(100, 10_000));
}

/** Carries out the open calls of a page, which takes a while, and adds their results to its messages. */
async function carryOut(tab: Tab, { world, ids }: SoakWorld, random: Random): Promise<void> {
  for (const callId of tab.unanswered()) {
    await world.clock.sleep(Math.round(random.scale(20, 60_000)));
    const text = `result ${ids()} of ${callId}`;
    tab.sent.push({ callId, text, heard: 0, late: false });
    tab.addMessage({ id: `r${ids()}`, role: 'tool', toolCallId: callId, content: text });
  }
}

/** Another tab of the same person: it may have the tool or not, answers what it sees, and may be closed at any time. */
async function secondTab(person: Person, soak: SoakWorld, random: Random): Promise<void> {
  person.seconds += 1;
  const tab = opened(person, soak, random, random.chance(0.6));
  await soak.world.clock.sleep(random.between(0, 30_000));
  await tab.talk('connect');
  for (let looks = random.between(0, 3); looks > 0; looks--) {
    await soak.world.clock.sleep(random.between(0, 30_000));
    const isOpen = tab.unanswered().length > 0;
    if (isOpen) await carryOut(tab, soak, random);
    if (random.chance(0.15)) return;
    await tab.talk(isOpen ? 'run' : 'connect');
  }
}

async function isDone({ n }: Person, { world }: SoakWorld): Promise<boolean> {
  const view = await world.sessions.read({ tenant: 'acme', sessionId: `t${n}` });
  return view?.dueAt === undefined && view?.session.state === 'completed';
}
