/** Mutants of schedules: a simulation of their own finds them, or a test of its own. */

import type { Mutant } from './mutant.ts';

const take = 'shared/agent/schedules/take.ts';
const start = 'shared/agent/entrypoints/schedules/start.ts';
const sync = 'shared/agent/entrypoints/schedules/sync.ts';

const found = (
  name: string,
  file: string,
  find: string,
  replace: string,
  tests = 'schedules/simulated.test.ts',
): Mutant => ({
  name: `schedule: ${name}`,
  edits: [{ file, find, replace }],
  tests: { lane: 'unit', file: tests },
});

export const scheduleMutants: readonly Mutant[] = [
  found(
    'a deploy moves a tick that has begun to another session',
    start,
    'const session = { tenant: key.tenant, sessionId };',
    'const session = { tenant: key.tenant, sessionId: sessionOf(schedule, tick) };',
    'schedules/ticks.test.ts',
  ),
  found(
    'each process has an event of its own',
    start,
    'const eventId = `tick-${hash(`${key.id} ${tickIdOf(tick)}`)}`;',
    'const eventId = `tick-${hash(`${key.id} ${tickIdOf(tick)} ${said.at}`)}`;',
  ),
  found(
    'the tick after the next one waits for the sweeper',
    'shared/agent/entrypoints/schedules/ticks.ts',
    'if (closed && closed.course.nextAt !== found.course.nextAt)',
    'if (closed && closed.course.nextAt === found.course.nextAt)',
    'schedules/ticks.test.ts',
  ),
  found('ticks are not kept open', take, 'open: [...open, ...ticks],', 'open,'),
  found(
    'ticks of a pause have no outcome',
    take,
    'return { ...course, open: [...course.open, { at, missedUntil, takenAt: now }], retryAt: now };',
    'return { ...course, retryAt: missedUntil };',
  ),
  found(
    'removed schedules stay',
    sync,
    'for (const key of all) if (!keys.some(isSame(key))) await schedules.remove(key);',
    '',
  ),
];
