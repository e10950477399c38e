import { abandonCall, runCall } from '../../shared/agent/entrypoints/call.ts';
import { reviveOrEnd } from '../../shared/agent/entrypoints/dead-letter.ts';
import { eraseBuried } from '../../shared/agent/entrypoints/erase.ts';
import { type Swept, sweep } from '../../shared/agent/entrypoints/sweep.ts';
import type { Ports, Settlement } from '../../shared/agent/ports/ports.ts';
import { runStep } from '../../shared/agent/step/run-step.ts';
import type { CallMessage, Wake } from '../../shared/contract/queue.ts';
import '../support/words.ts';
import { gravesFor } from './deleters.ts';
import { acked, callAcked } from './invariants/custody.ts';
import { watchSweeps } from './invariants/sweeps.ts';
import { invoke, noModel, type Slot, SWEEP_RESERVE_MS, TIMEOUT_MS } from './invocation.ts';
import { modelFor } from './model.ts';
import type { Caller } from './network.ts';
import { asOlder, olderModel, olderQueue, plainWake } from './older.ts';
import { portsFor } from './ports.ts';
import type { Delivery, SimQueue } from './queue.ts';
import { owns } from './sessions.ts';
import { skillsIn } from './skills.ts';
import type { World } from './world.ts';

/** The agents as a step finds them deployed. A run that begins there is held to their rules. */
const agentFor =
  ({ id }: Caller, { agentOf, ledger }: World): World['agentOf'] =>
  (name) => {
    const agent = agentOf(name);
    const claim = ledger.claims.get(id);
    const { batch, run } = claim?.head.session ?? {};
    if (agent && claim && !batch && (!run || run.ended))
      claim.charges = agent.guardrails.budget.chargeLostAttempts;
    return agent;
  };

const newSlot = (): Slot => ({ host: undefined, busy: false });

/** The step function on its queue: a number of concurrent invocations, and any visible message goes to any of them. */
export function startSteps(world: World): void {
  const { queue, workload } = world;
  const slots = Array.from({ length: workload.workers }, newSlot);
  poll(
    world,
    queue,
    slots,
    () => queue.nextAt(),
    () => queue.receive(),
    (slot, delivery) => {
      const { faults, scheduler } = world;
      world.active += 1;
      if (faults.strikes('redelivered'))
        later(world, 60_000, () => queue.redeliver(delivery.handle.messageId));
      if (faults.strikes('ghost')) later(world, 8_000_000, () => queue.redeliver(delivery.handle.messageId));
      if (faults.strikes('strayWake')) later(world, 60_000, () => void queue.send(delivery.wake, 0));
      const deadlineAt = scheduler.now + workload.deadlineMs;
      run(
        world,
        queue,
        slot,
        workload.deadlineMs,
        delivery,
        (caller, ports) => {
          world.steps += 1;
          if (isPoisoned(world, delivery.wake)) caller.host.kill();
          const { handle, wake } = delivery;
          const invocation = { id: caller.id, message: handle, deadlineAt: deadlineAt + caller.host.skewMs };
          const { leaseMs, packAbove } = workload;
          const options = {
            agentOf: agentFor(caller, world),
            skillsOf: () => skillsIn(world),
            leaseMs,
            packAbove,
          };
          if (!scheduler.random.chance(workload.older)) return runStep(wake, invocation, options, ports);
          world.older.add(caller.id);
          const { sessions, provider, queue } = ports;
          const older = {
            ...ports,
            sessions: asOlder(sessions, world),
            provider: olderModel(provider),
            queue: olderQueue(queue),
          };
          const never = { ...options, packAbove: Number.POSITIVE_INFINITY };
          return runStep(plainWake(wake), invocation, never, older);
        },
        (settled) => {
          world.active -= 1;
          if (settled === 'ack' && !faults.strikes('lostRequest')) {
            queue.remove(delivery.handle);
            acked(world, delivery, slot.caller?.id ?? '');
          }
        },
      );
    },
  );
}

/**
 * Whether steps of this session die before they can claim it, as they do in the `poison` workload while the event
 * waits.
 */
function isPoisoned({ workload, memory, ledger }: World, wake: Wake): boolean {
  if (workload.poison !== 'start') return false;
  const { pk, events } = ledger.facts(wake);
  return memory.table.heads.get(pk)?.inbox.some((id) => events.get(id)?.text.includes('poison')) ?? false;
}

/** The tool function on its queue, and the consumer of its dead letters. */
export function startCalls(world: World): void {
  const { toolQueue: queue, workload, scheduler, faults } = world;
  const consume = (
    delivery: Delivery<CallMessage>,
    slot: Slot,
    work: (caller: Caller, ports: Ports, deadlineAt: number) => Promise<Settlement>,
    remove: () => void,
  ) => {
    world.active += 1;
    const deadlineAt = scheduler.now + TIMEOUT_MS.tool;
    run(
      world,
      queue,
      slot,
      TIMEOUT_MS.tool,
      delivery,
      (caller, ports) => work(caller, ports, deadlineAt + caller.host.skewMs),
      (settled) => {
        world.active -= 1;
        if (settled !== 'ack') return;
        remove();
        callAcked(world, delivery);
      },
    );
  };
  poll(
    world,
    queue,
    Array.from({ length: workload.workers }, newSlot),
    () => queue.nextAt(),
    () => queue.receive(),
    (slot, delivery) => {
      const { handle, wake: call } = delivery;
      if (faults.strikes('redelivered')) later(world, 60_000, () => queue.redeliver(handle.messageId));
      if (faults.strikes('ghost')) later(world, 8_000_000, () => queue.redeliver(handle.messageId));
      if (faults.strikes('strayWake')) later(world, 60_000, () => void queue.send(call, 0));
      consume(
        delivery,
        slot,
        (caller, ports, deadlineAt) =>
          runCall(call, { id: caller.id, message: handle, deadlineAt }, world.agentOf, ports),
        () => queue.remove(handle),
      );
    },
  );
  poll(
    world,
    queue,
    [newSlot()],
    () => queue.nextDeadAt(),
    () => queue.receiveDead(),
    (slot, delivery) =>
      consume(
        delivery,
        slot,
        (caller, ports, deadlineAt) =>
          abandonCall(delivery.wake, { id: caller.id, message: delivery.handle, deadlineAt }, ports),
        () => queue.removeDead(delivery.handle.messageId),
      ),
  );
}

/** The consumer of the dead letters. */
export function startDeadLetters(world: World): void {
  const { queue, workload } = world;
  poll(
    world,
    queue,
    [newSlot()],
    () => queue.nextDeadAt(),
    () => queue.receiveDead(),
    (slot, delivery) => {
      world.active += 1;
      const deadlineAt = world.scheduler.now + TIMEOUT_MS.deadLetter;
      run(
        world,
        queue,
        slot,
        TIMEOUT_MS.deadLetter,
        delivery,
        (caller, ports) => {
          const { handle, wake } = delivery;
          const invocation = { id: caller.id, message: handle, deadlineAt: deadlineAt + caller.host.skewMs };
          const options = { agentOf: agentFor(caller, world), leaseMs: workload.leaseMs };
          return reviveOrEnd(wake, invocation, options, { ...ports, provider: noModel }, runStep);
        },
        (settled) => {
          world.active -= 1;
          if (settled !== 'ack') return;
          queue.removeDead(delivery.handle.messageId);
          acked(world, delivery, slot.caller?.id ?? '');
        },
      );
    },
  );
}

/** The sweeper, each minute. */
export function startSweeper(world: World): void {
  const slot = newSlot();
  const watch = watchSweeps(world);
  const tick = () => {
    world.scheduler.in(60_000, tick);
    if (slot.busy) return;
    const deadlineAt = world.scheduler.now + TIMEOUT_MS.sweep - SWEEP_RESERVE_MS;
    watch.begins();
    invoke(
      world,
      slot,
      TIMEOUT_MS.sweep,
      (caller) => sweepAndErase(caller, world, deadlineAt + caller.host.skewMs),
      (end) => {
        if (typeof end !== 'object' || !('answer' in end)) return;
        watch.ended(end.answer, deadlineAt);
        if (end.answer.woken > 0) world.scheduler.trace.say('sweeper', 'woke', end.answer.woken);
      },
    );
  };
  tick();
}

/** Like `functions/sweep.ts`, where sessions are deleted. */
async function sweepAndErase(caller: Caller, world: World, deadlineAt: number): Promise<Swept> {
  const ports = portsFor(caller, world, noModel);
  const swept = await sweep(ports, deadlineAt);
  if (world.workload.deletes === undefined) return swept;
  const limits = { forget: async () => undefined };
  const graves = gravesFor(caller, world);
  await eraseBuried({ ...ports, graves, limits }, deadlineAt);
  return swept;
}

function run(
  world: World,
  queue: Pick<SimQueue, 'hide'>,
  slot: Slot,
  timeoutMs: number,
  { handle, wake }: Delivery<Wake | CallMessage>,
  handler: (caller: Caller, ports: Ports) => Promise<Settlement>,
  settled: (settlement: Settlement | 'killed') => void,
): void {
  invoke(
    world,
    slot,
    timeoutMs,
    (caller) => {
      world.ledger.received.set(caller.id, handle.messageId);
      world.scheduler.trace.say(caller.id, 'receives', handle.messageId, wake.sessionId, caller.host.name);
      return handler(caller, portsFor(caller, world, modelFor(caller, world), queue));
    },
    (end) => {
      const settlement = end === 'killed' ? end : 'answer' in end ? end.answer : 'retry';
      if (typeof end === 'object' && 'answer' in end) returned(world, slot, wake);
      world.scheduler.trace.say('platform', settlement, handle.messageId);
      settled(settlement);
    },
  );
}

/** A handler that has returned no longer holds its session: it has committed, or another one has taken it. */
function returned(world: World, { caller }: Slot, wake: Wake | CallMessage): void {
  const claim = caller && world.ledger.claims.get(caller.id);
  if (caller && claim?.answered && owns(caller, wake, world))
    world.ledger.violate(
      '16 a step that returns releases the session',
      `${caller.id} returned and still owns ${claim.pk}`,
    );
}

function later(world: World, within: number, action: () => void): void {
  world.scheduler.in(world.scheduler.random.scale(1, within), action);
}

/** Gives messages to free environments as long as there are both. */
function poll<Body>(
  world: World,
  queue: SimQueue<Body>,
  slots: readonly Slot[],
  nextAt: () => number | undefined,
  receive: () => Delivery<Body> | undefined,
  start: (slot: Slot, delivery: Delivery<Body>) => void,
): void {
  const { scheduler } = world;
  let planned = Number.POSITIVE_INFINITY;
  let plan = 0;
  const look = () => {
    planned = Number.POSITIVE_INFINITY;
    const free = slots.filter(({ busy }) => !busy);
    const delivery = free.length > 0 ? receive() : undefined;
    if (delivery) start(scheduler.random.pick(free), delivery);
    planNext();
  };
  const planNext = () => {
    const at = nextAt();
    if (at === undefined) return;
    if (slots.every(({ busy }) => busy)) return;
    const when = Math.max(at, scheduler.now) + scheduler.random.between(1, 50);
    if (when >= planned) return;
    planned = when;
    const mine = ++plan;
    scheduler.in(when - scheduler.now, () => {
      if (mine === plan) look();
    });
  };
  queue.onChange(planNext);
  for (const slot of slots) slot.freed = planNext;
}
