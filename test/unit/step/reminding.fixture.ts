/** A session that gets messages later: reminders, and looks at goals. */

import { runDue } from '../../../shared/agent/entrypoints/schedules/due.ts';
import { sweepSchedules } from '../../../shared/agent/entrypoints/schedules/sweep.ts';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import { calls, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { goalTools } from '../../../tools/goals.ts';
import { reminderTools } from '../../../tools/reminders.ts';
import { waitUntil } from '../../../tools/wait-until.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { resultsOf } from './reading.fixture.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export const ada = { kind: 'slack', channel: 'slack', name: 'Ada', zone: 'Europe/Berlin' } as const;
export const bob = { kind: 'jwt', channel: 'http', roles: ['chief'], zone: 'Europe/Berlin' } as const;

/** A session whose runs make these calls, one list for each run. */
export async function reminding(...runs: [string, Record<string, unknown>][][]) {
  const answer: Scripted = ({ request }) => {
    const last = JSON.stringify(request.messages.at(-1));
    const made = last.includes('tool_result') ? undefined : runs.shift();
    return made ? calls(...made) : says('Done.');
  };
  const model = scriptedModel(...Array.from({ length: 40 }, () => answer));
  const world = await sessionWorld(
    {
      model: { name: 'test-model', price: { input: 1, output: 5 } },
      tools: [waitUntil, ...reminderTools(), ...goalTools()],
    },
    model,
  );
  // Nine in the evening of a Friday in Berlin.
  await world.clock.advance(Date.UTC(2026, 10, 27, 20) - world.clock.now());
  const schedules = world.schedules as Parameters<typeof runDue>[1]['schedules'];
  const context = {
    ...{ io: world, schedules, declared: [], agentOf: world.agentOf },
    ...{ priceOf: async () => undefined, isLive: async () => true },
  };
  const look = async () => {
    for (let next = world.queue.schedules.receive(); next; next = world.queue.schedules.receive()) {
      world.queue.schedules.delete(next.handle);
      await runDue(next.wake, context);
    }
    await settleWithCalls(world);
  };
  const pass = async (ms: number) => {
    for (const until = world.clock.now() + ms; world.clock.now() < until; ) {
      await sweepSchedules({ ...world, schedules }, '');
      await sweep(world);
      await look();
      await world.clock.advance(Math.min(MINUTE, until - world.clock.now()));
      await look();
    }
  };
  const say = async (text: string, by = 'slack:T1:U1', caller: typeof ada | typeof bob = ada) => {
    await world.say(text, undefined, by, caller);
    await settleWithCalls(world);
  };
  const results = async () => resultsOf(await world.slots()).map(({ content }) => content);
  const heard = () => model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
  const stored = () => schedules.page('acme', '', 100);
  /** The calls of the next run. */
  const next = (...made: [string, Record<string, unknown>][]) => void runs.push(made);
  return { world, say, pass, results, heard, stored, next };
}
