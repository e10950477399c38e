import { TaskState } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { runCall } from '../../../shared/agent/entrypoints/call.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { remoteAgent } from '../../../tools/a2a/index.ts';
import { ADDRESS, remoteDouble } from '../../support/a2a/agent.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { sessionWorld } from '../../support/session-world.ts';

test.each(['1.0', '0.3'] as const)(
  'the stop of a run cancels the task of its call, over A2A %s',
  async (version) => {
    const agent = remoteDouble(() => ({ state: TaskState.TASK_STATE_WORKING }), { version });
    const travel = remoteAgent({ name: 'travel', when: 'Plan a journey.', url: ADDRESS });
    const world = await sessionWorld(
      { tools: [travel] },
      scriptedModel(calls(['travel', { message: 'Rome.' }]), says('Done.')),
      { internet: agent.internet },
    );
    await world.say('Go.');
    await world.settle();
    const taken = world.queue.calls.receive();
    if (!taken) throw new Error('no call is queued');
    const invocation = { id: 'w1', message: taken.handle, deadlineAt: world.clock.now() + 900_000 };
    const working = runCall(taken.wake, invocation, world.agentOf, world);
    await expect.poll(() => agent.methods().some((one) => /^(GetTask|tasks\/get)$/.test(one))).toBe(true);
    await cancel(world.key, world);
    await world.clock.advance(2_000);
    await working;
    await settleWithCalls(world);
    expect(await agent.states()).toEqual([TaskState.TASK_STATE_CANCELED]);
    expect((await world.view()).session.state).toBe('cancelled');
  },
);
