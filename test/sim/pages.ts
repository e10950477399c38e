/**
 * Pages that offer a tool with their messages and answer its calls: at once, later, twice, with something else, after a
 * reload, or never.
 */

import { answerGranted } from '../../shared/agent/entrypoints/answer.ts';
import type { PageOffer } from '../../shared/contract/page.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { answerChecks, counts } from './invariants/answers.ts';
import { PAGE_TOOL } from './invariants/ends.ts';
import { noModel } from './invocation.ts';
import { check } from './ledger.ts';
import { later, request, sessionKeys } from './people.ts';
import { portsFor } from './ports.ts';
import type { World } from './world.ts';

/** The offer of every page. */
export const offer: PageOffer = {
  tools: [
    {
      name: PAGE_TOOL,
      description: 'A tool of the page.',
      parameters: { type: 'object', properties: { call: { type: 'string' } }, required: ['call'] },
    },
  ],
};

/** Looks of pages at their session: each answers what waits for a page then. */
export function startPages(world: World): void {
  const { workload, scheduler } = world;
  const { random } = scheduler;
  const within = workload.apartMs * workload.messages + 120_000;
  for (const key of sessionKeys(world))
    for (let i = 0; i < (workload.pages ?? 0); i++)
      later(world, random.between(100, within), (done) => answerSome(world, key, done));
}

function answerSome(world: World, key: SessionKey, done: () => void): void {
  const { ledger, memory, scheduler } = world;
  const { random } = scheduler;
  const facts = ledger.facts(key);
  const batch = memory.table.heads.get(facts.pk)?.session.batch;
  const waits = batch?.waits.filter(({ kind }) => kind === 'page') ?? [];
  for (const { id, callId, tool: name, expiresAt } of waits) {
    if (random.chance(0.2)) continue;
    const grant = { ...key, slot: batch?.slot ?? 0, callId, name, id, expiresAt };
    const text = `answer a${++world.purchases} to ${callId}`;
    // A second request has the same answer, or is of a page that was reloaded and did the work again.
    send(world, key, grant, text, random.between(1, 5_000));
    if (random.chance(0.3)) send(world, key, grant, text, random.scale(50, 60_000));
    if (random.chance(0.3))
      send(world, key, grant, `answer a${++world.purchases} to ${callId}`, random.scale(50, 60_000));
  }
  done();
}

function send(
  world: World,
  key: SessionKey,
  grant: Parameters<typeof answerGranted>[0],
  text: string,
  ms: number,
): void {
  const { ledger, scheduler } = world;
  const facts = ledger.facts(key);
  const { callId } = grant;
  const handed = facts.handed.get(callId) ?? {
    ...{ sent: new Set<string>(), told: new Map(), underWay: new Map(), unheard: new Set<string>() },
  };
  facts.handed.set(callId, handed);
  handed.sent.add(text);
  const count = (by: number) => handed.underWay.set(text, (handed.underWay.get(text) ?? 0) + by);
  count(1);
  later(world, ms, (done) => {
    const toldBefore = handed.told.get(text)?.length ?? 0;
    request(
      world,
      (caller) =>
        answerGranted(grant, { result: text }, portsFor(caller, world, noModel), { by: 'user:ada' }),
      (answer) => {
        scheduler.trace.say('page', answer ?? 'no answer', key.sessionId, text);
        count(-1);
        if (answer && facts.buriedAt === undefined) {
          const told = handed.told.get(text) ?? [];
          const isBeside = answer === 'expired' && told.slice(toldBefore).some(counts);
          if (!isBeside) handed.told.set(text, [...told, answer]);
          check(ledger, answerChecks, { callId, handed });
        } else handed.unheard.add(text);
        done();
      },
    );
  });
}
