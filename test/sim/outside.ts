/**
 * Outside services that answer the calls that wait for them: at once, in time, too late, twice, with something else, or
 * never.
 */

import { type AnswerResult, answerCall } from '../../shared/agent/entrypoints/answer.ts';
import { tellOfCall } from '../../shared/agent/entrypoints/tell.ts';
import { answerChecks, counts } from './invariants/answers.ts';
import { noModel } from './invocation.ts';
import { check, type SessionFacts } from './ledger.ts';
import { later, request } from './people.ts';
import { portsFor } from './ports.ts';
import type { World } from './world.ts';

/** A call that was given to a service. */
export interface Handed {
  /** The answers that services have sent, and the responses to each, in order. */
  readonly sent: Set<string>;
  readonly told: Map<string, AnswerResult[]>;
  /** Number of copies of each that are on their way, whose senders have no response yet. */
  readonly underWay: Map<string, number>;
  /** Answers of which a copy got no response: it may count, whatever another copy was told. */
  readonly unheard: Set<string>;
  /** The result that its batch has committed. */
  result?: { readonly outcome: string; readonly content: string };
}

/** Number of times that a service sends an answer without a response. */
const TRIES = 5;

/**
 * Gives a token to a service.
 * @param seconds lifetime of the token
 */
export function hand(
  world: World,
  facts: SessionFacts,
  callId: string,
  token: string,
  seconds: number,
): void {
  const { random } = world.scheduler;
  facts.handed.set(
    callId,
    facts.handed.get(callId) ?? { sent: new Set(), told: new Map(), underWay: new Map(), unheard: new Set() },
  );
  if (world.workload.tells) tellOften(world, facts, callId, token);
  if (random.chance(0.1)) return;
  const first = nextText(world, callId);
  const after = (): number =>
    random.pick([
      random.between(1, 50),
      random.scale(50, 60_000),
      random.scale(50, 60_000),
      seconds * 1000 + random.between(-2_000, 20_000),
    ]);
  send(world, facts, callId, token, first, after());
  if (random.chance(0.3)) send(world, facts, callId, token, first, after());
  if (random.chance(0.3)) send(world, facts, callId, token, nextText(world, callId), after());
  if (random.chance(0.1)) send(world, facts, callId, `${token}x`, nextText(world, callId), after());
}

/** Reports a call's progress a few times, whether the call is waited for or not. */
function tellOften(world: World, facts: SessionFacts, callId: string, token: string): void {
  const { scheduler } = world;
  for (let n = scheduler.random.between(1, 4); n > 0; n--)
    later(world, scheduler.random.scale(50, 60_000), (done) =>
      request(
        world,
        (caller) => tellOfCall(token, { message: `${callId} goes on` }, portsFor(caller, world, noModel)),
        (answer) => {
          scheduler.trace.say('service', answer ?? 'no answer', facts.key.sessionId, `${callId} goes on`);
          done();
        },
      ),
    );
}

const nextText = (world: World, callId: string): string => `answer a${++world.purchases} to ${callId}`;

function send(
  world: World,
  facts: SessionFacts,
  callId: string,
  token: string,
  text: string,
  ms: number,
  tries = TRIES,
): void {
  const { ledger, scheduler, faults } = world;
  const handed = facts.handed.get(callId);
  if (!token.endsWith('x')) handed?.sent.add(text);
  count(handed, text, 1);
  later(world, Math.max(1, ms), (done) => {
    const toldBefore = handed?.told.get(text)?.length ?? 0;
    request(
      world,
      (caller) => answerCall(token, { result: text }, portsFor(caller, world, noModel)),
      (answer) => {
        scheduler.trace.say('service', answer ?? 'no answer', facts.key.sessionId, text);
        count(handed, text, -1);
        // A session that was deleted has no tokens.
        if (answer && handed && facts.buriedAt === undefined) {
          if (token.endsWith('x') !== (answer === 'unknown'))
            ledger.violate('32 a token is known to its maker', `${text} is told ${answer}`);
          // One of two concurrent copies may be told that it is too late before the other one counts.
          const told = handed.told.get(text) ?? [];
          const isBeside = answer === 'expired' && told.slice(toldBefore).some(counts);
          if (!isBeside) handed.told.set(text, [...told, answer]);
          check(ledger, answerChecks, { callId, handed });
        } else handed?.unheard.add(text);
        if (!answer && (tries > 1 || faults.stopped))
          send(world, facts, callId, token, text, scheduler.random.scale(500, 30_000), tries - 1);
        done();
      },
    );
  });
}

/** Counts one copy more or less on its way. */
function count(handed: Handed | undefined, text: string, by: 1 | -1): void {
  handed?.underWay.set(text, (handed.underWay.get(text) ?? 0) + by);
}
