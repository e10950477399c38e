import { decide, lookBelow } from '../../shared/agent/entrypoints/decide.ts';
import type { NewGrant } from '../../shared/agent/session/leave.ts';
import { isForPeople } from '../../shared/agent/session/waits.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { treeOf } from './family.ts';
import { checkAsks } from './invariants/asks.ts';
import { noModel } from './invocation.ts';
import { later, request, sessionKeys, stopRun } from './people.ts';
import { portsFor } from './ports.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** People who decide what runs wait for: in time or late, twice, against each other, or never. */
export function startDeciders(world: World): void {
  const { workload, scheduler } = world;
  const { random } = scheduler;
  const within = workload.apartMs * workload.messages + 120_000;
  for (const key of sessionKeys(world))
    for (let i = 0; i < workload.decisions; i++)
      later(world, random.between(100, within), (done) => decideOne(world, key, done));
}

const grant = (random: Random): NewGrant => ({
  scope: random.pick(['run', 'session']),
  alike: random.chance(0.9) ? 'tool' : 'call',
  ...(random.chance(0.6) && { uses: random.between(1, 3) }),
  ...(random.chance(0.5) && { seconds: random.pick([1, 10, 20, 60, 600]) }),
});

/** A person revokes a grant, whether a step is running or not. */
function revokeOne(world: World, key: SessionKey, done: () => void): void {
  const { ledger, memory, scheduler } = world;
  const { grants = [] } = memory.table.heads.get(ledger.facts(key).pk)?.session ?? {};
  if (grants.length === 0) {
    done();
    return;
  }
  const { id } = scheduler.random.pick(grants);
  request(world, (caller) => portsFor(caller, world, noModel).sessions.revoke(key, id), done);
}

function decideOne(world: World, root: SessionKey, done: () => void): void {
  const { ledger, memory, scheduler, workload } = world;
  const { random } = scheduler;
  const rootAsks = workload.family ? checkAsks(world, root) : [];
  // People decide where the root was asked, or in the session that asks.
  const ask = rootAsks.length > 0 && random.chance(0.7) ? random.pick(rootAsks) : undefined;
  const key = ask
    ? { tenant: root.tenant, sessionId: ask.child }
    : workload.family
      ? random.pick(treeOf(world, root))
      : root;
  if (workload.grants && random.chance(0.2)) {
    revokeOne(world, key, done);
    return;
  }
  const facts = ledger.facts(key);
  const waits = (memory.table.heads.get(facts.pk)?.session.batch?.waits ?? []).filter(
    (wait) => isForPeople(wait) && (ask === undefined || wait.id === ask.id),
  );
  if (waits.length === 0) {
    done();
    return;
  }
  const { id, callId, expiresAt, changes = [] } = random.pick(waits);
  const approved = random.chance(0.7);
  // Two deciders of one call may give different grants, and the grant of the decision that stands counts. A refusal
  // gives none, whatever it says.
  const granting = () => (workload.grants && random.chance(0.8) ? { grant: grant(random) } : {});
  // Some changes of a plan, or all.
  const some = () => {
    const numbers = changes.flatMap((_, i) => (random.chance(0.6) ? [i + 1] : []));
    return numbers.length > 0 && random.chance(0.7) ? { changes: numbers } : {};
  };
  const decideNow = (ended: () => void, verdict: boolean) => {
    const chosen: { changes?: number[] } = verdict ? some() : {};
    request(
      world,
      async (caller) => {
        const ports = portsFor(caller, world, noModel);
        const decided = await decide(
          key,
          id,
          {
            ...{ approved: verdict, by: caller.id, note: `<${key.tenant}> ${verdict}, ${caller.id}` },
            ...granting(),
            ...chosen,
          },
          ports,
        );
        if (ask && decided === 'decided') await lookBelow(root, ports);
        return decided;
      },
      (answer, caller) => {
        const told = answer === 'decided' || answer === 'already_decided';
        if (told && !facts.sentBy.has(caller))
          ledger.violate(
            '16 an acknowledged request has a wake',
            `${callId} is ${answer}, and no wake was sent`,
          );
        scheduler.trace.say('decider', answer ?? 'no answer', key.sessionId, callId, String(verdict));
        if (answer === 'decided') {
          if (facts.decisionsTold.has(id)) ledger.violate('19 a decision counts once', `${callId} twice`);
          const [first = 1] = chosen.changes ?? [];
          const about = callId.replace(/^change_1_/, `change_${first}_`);
          facts.decisionsTold.set(id, { approved: verdict, callId: about });
        }
        ended();
      },
    );
  };
  // A person who comes too late, or nearly.
  if (random.chance(0.2)) {
    const late = Math.max(1, expiresAt - scheduler.now + random.between(-2_000, 60_000));
    scheduler.in(late, () => decideNow(done, approved));
  } else decideNow(done, approved);
  // Another person stops the run meanwhile.
  if (random.chance(0.05)) later(world, random.between(1, 60), (ended) => stopRun(world, key, ended));
  // A double click, or another person who disagrees.
  if (random.chance(0.4))
    later(world, random.scale(1, 30_000), (ended) => decideNow(ended, random.chance(0.5)));
}
