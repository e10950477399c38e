/** Runs that begin by the clock: the words are those of the schedule's creator, also if another person starts one by hand. */

import type { Call } from '../target.ts';
import type { Door, Reached } from './door.ts';

/** Creates a schedule whose next tick no test lives to see. */
const scheduled = (call: Call, into: object = {}) =>
  call('POST', '/schedules', {
    ...{ name: 'report', agent: 'worker', message: 'hi', when: { every: '30d' } },
    ...into,
  });

/** Lets a schedule begin a run now. Resolves with the run's session. */
async function begun(call: Call, scheduleId: string): Promise<Reached> {
  const { status } = await call('POST', `/schedules/${scheduleId}/run`);
  if (status >= 300) return status;
  for (;;) {
    // The history says `started` a moment before the message is in its session.
    const { last } = (await call('GET', `/schedules/${scheduleId}`)).body;
    if (last) return { id: last.sessionId };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const ofTheCaller =
  (into: (id: string) => object): Door['go'] =>
  async (call, { id }) => {
    const { status, body } = await scheduled(call, into(id));
    return status >= 300 ? status : begun(call, body.scheduleId);
  };

export const scheduleDoors = {
  'a schedule': { before: 'hello', go: ofTheCaller(() => ({})) },
  'a schedule that writes to a session': {
    before: 'hello',
    go: ofTheCaller((sessionId) => ({ into: { sessionId } })),
  },
  "a run of another's schedule": {
    before: 'hello',
    go: async (call, { ada }) => begun(call, (await scheduled(ada)).body.scheduleId),
  },
} as const satisfies Record<string, Door>;
