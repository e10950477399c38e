import { runCall } from '../../shared/agent/entrypoints/call.ts';
import type { SessionWorld } from './session-world.ts';

/**
 * Runs every call on the tool queue, and the calls that follow from them, as its worker does. Returns the outcome of
 * each.
 */
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

/** Runs steps and calls from the queues in turn, until neither has anything to do. */
export async function settleWithCalls(world: SessionWorld): Promise<void> {
  do await world.settle();
  while ((await runCalls(world)).length > 0);
}
