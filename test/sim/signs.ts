import type { Provider } from '../../shared/agent/ports/provider.ts';
import type { Failure } from '../../shared/agent/session/reply.ts';
import type { SignStore } from '../../shared/edge/signs.ts';
import { slowedTogether } from '../../shared/models/slowed.ts';
import type { Host } from './host.ts';
import { isPeace } from './invariants/peace.ts';
import { askingChecks, LEAST_OWN_MS, LONGEST_MS, tellingChecks } from './invariants/signs.ts';
import { type Claim, check } from './ledger.ts';
import type { Caller } from './network.ts';
import type { Call } from './ports.ts';
import type { World } from './world.ts';

/** A host's knowledge of the rate limit of its model, by its own clock: the time before which it must not ask. */
export interface Heard {
  /** The time from its server, and the one from its group; 0 if there is none. */
  refused: number;
  told: number;
  /** Its group; undefined until it has looked for a sign. */
  group: number | undefined;
}

/** A host's path to its model. Its signs are called as its current invocation calls a service. */
interface Way {
  readonly slowed: (provider: Provider) => Provider;
  caller: Caller;
  call: Call;
}

const ways = new WeakMap<Host, Way>();
const hosts = new WeakMap<Host, Heard>();

/** A host's knowledge. */
export function heardBy(host: Host): Heard {
  const known = hosts.get(host) ?? { refused: 0, told: 0, group: undefined };
  hosts.set(host, known);
  return known;
}

/** A model whose rate limits slow down all hosts of a group together, if the workload has a limit. */
export function slowedFor(caller: Caller, world: World, call: Call, provider: Provider): Provider {
  const { limit } = world.workload;
  if (!limit) return provider;
  const { host } = caller;
  const known = ways.get(host);
  if (known) Object.assign(known, { caller, call });
  const way = known ?? wayOf(world, limit.groups, { caller, call });
  ways.set(host, way);
  const slowed = way.slowed(provider);
  return {
    async complete(...asked) {
      const outcome = await slowed.complete(...asked);
      const claim = world.ledger.claims.get(caller.id);
      if (claim) claim.unasked = isUnasked(outcome);
      return outcome;
    },
  };
}

const isUnasked = (outcome: Awaited<ReturnType<Provider['complete']>>): boolean =>
  outcome.kind === 'failed' && outcome.failure.kind === 'retry' && outcome.failure.unasked === true;

function wayOf(world: World, groups: number, { caller, call }: Pick<Way, 'caller' | 'call'>): Way {
  const { memory, scheduler, ids } = world;
  const { clock } = caller.host;
  const heard = heardBy(caller.host);
  const store: SignStore = {
    async read(of) {
      const sign = await way.call('signs.read', () => memory.signs.read(of));
      scheduler.trace.say(way.caller.id, 'sign read', of.group, sign ? sign.until - clock.now() : 'none');
      heard.group = of.group;
      // None lasts for more than a minute. A sign from a wrong clock is not believed at all.
      const isOne = sign !== undefined && sign.until <= clock.now() + 2 * LONGEST_MS;
      if (isOne) heard.told = Math.max(heard.told, Math.min(sign.until, clock.now() + LONGEST_MS));
      return sign;
    },
    put: (of, sign) =>
      way.call('signs.put', async () => {
        world.signs.set(of.group, sign);
        await memory.signs.put(of, sign);
        scheduler.trace.say(way.caller.id, 'sign put', of.group, sign.until - clock.now());
      }),
  };
  const way: Way = { slowed: slowedTogether(store, { clock, ids, groups }), caller, call };
  return way;
}

/** Observes a host that asks its model. */
export function observeAsking({ ledger, workload }: World, { host }: Caller): void {
  if (!workload.limit) return;
  check(ledger, askingChecks, { host: host.name, now: host.clock.now(), heard: heardBy(host) });
}

/** Records that a host's model was refused, by a rate limit or by a server that gives a time for the next attempt. */
export function noteRefused({ workload }: World, { host }: Caller, failure: Failure): void {
  if (!workload.limit || failure.kind !== 'retry') return;
  const { rateLimited, retryAfterMs = rateLimited ? LEAST_OWN_MS : 0 } = failure;
  const heard = heardBy(host);
  heard.refused = Math.max(heard.refused, host.clock.now() + Math.min(retryAfterMs, LONGEST_MS));
}

/** Observes the commit of a step whose model was refused: by then its group knows, if nothing has gone wrong. */
export function observeRefusal(world: World, { failed, failedAt }: Claim, { host }: Caller): void {
  if (failed !== 'rate_limit' || !world.workload.limit || !isPeace(world)) return;
  const { group } = heardBy(host);
  const sign = group === undefined ? undefined : world.signs.get(group);
  check(world.ledger, tellingChecks, { host: host.name, failedAt, sign });
}
