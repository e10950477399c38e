/** The conditions that every session must meet at rest. */

import { readMessages } from '../../../functions/routes/session-stream.ts';
import { callsOf } from '../../../shared/agent/session/reply.ts';
import { createRandom } from '../../sim/random.ts';
import { type Person, sentBy } from './people.ts';
import { callNames, TOOL } from './plan.ts';
import { Tab } from './tab.ts';
import type { SoakWorld } from './world.ts';

export interface Verified {
  /** Sentences; empty if all is well. */
  readonly wrong: readonly string[];
  readonly calls: number;
  /** Calls that a page has answered. */
  readonly answered: number;
}

export async function verify(person: Person, soak: SoakWorld): Promise<Verified> {
  const wrong: string[] = [];
  const expect = (holds: boolean, what: string) => {
    if (!holds) wrong.push(`person ${person.n}: ${what}`);
  };
  const { world } = soak;
  const key = { tenant: 'acme', sessionId: `t${person.n}` };
  const view = await world.sessions.read(key);
  const slots = (await world.sessions.slots(key, 0)).map(({ slot }) => slot);
  expect(view?.session.state === 'completed', `the session is ${view?.session.state}`);
  expect(!view?.session.batch, 'a call still waits');

  const calls = slots.flatMap((slot) => (slot.kind === 'model' ? callsOf(slot.reply) : []));
  const results = slots.flatMap((slot) => (slot.kind === 'tools' ? slot.results : []));
  const sent = sentBy(person);
  for (const { id, input } of calls) {
    const name = (input as { call: string }).call;
    const own = results.filter(({ callId }) => callId === id);
    const [result] = own;
    expect(own.length === 1, `${name} has ${own.length} results`);
    if (!result) continue;
    const answers = sent.filter(({ callId }) => callId === id);
    const isAnswered = result.outcome === 'ok';
    if (isAnswered) {
      expect(
        answers.some(({ text }) => text === result.content),
        `${name} has a result that no page with the tool has sent: ${result.content}`,
      );
      expect(
        result.answeredBy?.by === `user:u${person.n}`,
        `${name} is answered by ${result.answeredBy?.by}`,
      );
    } else {
      const isEarly = /they have written the message that follows/.test(result.content);
      expect(isEarly && person.interruptions > 0, `${name} is not answered: ${result.content}`);
    }
    const counted = answers.filter(({ heard, late }) => heard > 0 && !late);
    for (const { text } of counted)
      expect(
        text === result.content,
        `a page was told that "${text}" counts, and ${name} has ${result.content}`,
      );
    for (const { text, late } of answers)
      expect(
        !late || !isAnswered || text !== result.content || counted.length === 0,
        `"${text}" was late, and counts`,
      );
  }

  const named = calls.map(({ input }) => (input as { call: string }).call);
  const whole = person.plans.flatMap(callNames).flat();
  expect(new Set(named).size === named.length, 'the model has made a call twice');
  if (person.interruptions === 0) expect(named.join() === whole.join(), `the calls are ${named.join()}`);
  expect(
    calls.every((call) => call.name === TOOL),
    'a call of another tool',
  );

  // A page that comes back at the end sees what is stored.
  const last = new Tab(person.n, soak, { ...createRandom(0), chance: () => false });
  let isShown = false;
  const showing = last.talk('connect').then((whole) => {
    isShown = whole;
  });
  for (let ticks = 0; !isShown && ticks < 100; ticks++) await world.clock.advance(250);
  await showing;
  const stored = view ? await readMessages(view, world) : [];
  const shape = (messages: readonly { role: string; content?: unknown }[]) =>
    JSON.stringify(messages.map(({ role, content = '' }) => [role, content]));
  expect(shape(last.messages) === shape(stored), 'a page that comes back sees something else');
  return { wrong, calls: calls.length, answered: results.filter(({ outcome }) => outcome === 'ok').length };
}
