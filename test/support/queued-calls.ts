import { runCall } from '../../shared/agent/doors/call.ts';
import type { SessionWorld } from './session-world.ts';

/** Runs every call that waits on the tool queue, and those that come of it, as its worker does. What each has come to. */
export async function runCalls(world: SessionWorld): Promise<string[]> {
  const settled: string[] = [];
  for (let taken = world.queue.calls.receive(); taken; taken = world.queue.calls.receive()) {
    const { handle, wake: call } = taken;
    const invocation = { id: world.ids.next(), message: handle, deadlineAt: world.clock.now() + 900_000 };
    settled.push(await runCall(call, invocation, world.agentOf, world));
    world.queue.calls.delete(handle);
  }
  return settled;
}

/** Steps and calls of the queue, one after the other, until neither has anything to do. */
export async function settleWithCalls(world: SessionWorld): Promise<void> {
  do await world.settle();
  while ((await runCalls(world)).length > 0);
}
