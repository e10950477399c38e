import { describe, expect, test } from 'vitest';
import { newSession } from '../../shared/agent/session/session.ts';
import { dueNow, newHead } from '../../shared/memory/head.ts';
import { acked } from './invariants/custody.ts';
import type { Claim, Told } from './ledger.ts';
import { createWorld } from './world.ts';

const key = { tenant: 'acme', sessionId: 's1' };

/** The event number at which the host that committed had claimed. */
const CLAIMED_AT = 10;

interface Case {
  /** The answer that the receiver got before it deleted the message. */
  readonly told: Told;
  /** The message with which the other host had claimed. */
  readonly with?: string;
  /** The other host has sent the wake that follows from its commit, and that wake is gone as well. */
  readonly sent?: boolean;
  /** The host that deletes it has committed a step of its own. */
  readonly committed?: boolean;
}

/** The last message of a session that is due is deleted, after another receiver of it has committed. */
function violation({
  told,
  with: messageId = 'm1',
  sent = false,
  committed = false,
}: Case): string | undefined {
  const world = createWorld(1, 'text');
  const { ledger, memory, scheduler } = world;
  const facts = ledger.facts(key);
  const head = { ...newHead(newSession(key, 'sim', 'd')), ...dueNow(scheduler.now) };
  memory.table.heads.set(facts.pk, head);
  const claimed = { ...head, ownerMessageId: messageId };
  facts.lastCommit = { by: 'i1', claim: { head: claimed, claimedAt: CLAIMED_AT } as Claim };
  facts.committers.add('i1');
  if (sent) facts.sentBy.add('i1');
  if (committed) facts.committers.add('i2');
  ledger.told.set('i2', told);
  const hint = { version: 0, from: 0, definition: 'd' };
  acked(world, { handle: { messageId: 'm1', receiptHandle: 'r' }, wake: { ...key, hint } as never }, 'i2');
  return ledger.violation?.invariant;
}

describe('the last message of a session that is due', () => {
  test.each(['leased', 'early', 'rest'])(
    'may be deleted by a receiver who was told %s before the dead host claimed with it: the sweeper wakes',
    (answer) => {
      expect(violation({ told: { answer, at: CLAIMED_AT - 1 } })).toBeUndefined();
    },
  );

  test('may be deleted by a host that committed before the other claimed with it, whose wake is on its way', () => {
    expect(violation({ told: { answer: 'claimed', at: CLAIMED_AT - 1 }, committed: true })).toBeUndefined();
  });

  test.each<[string, Case]>([
    [
      'has committed, and that was the last commit',
      { told: { answer: 'claimed', at: CLAIMED_AT }, committed: true },
    ],
    ['was told so after that', { told: { answer: 'leased', at: CLAIMED_AT + 1 } }],
    ['had claimed itself', { told: { answer: 'claimed', at: CLAIMED_AT - 1 } }],
    ['has the message of another', { told: { answer: 'leased', at: CLAIMED_AT - 1 }, with: 'm2' }],
    ['deletes it after the wake that followed', { told: { answer: 'leased', at: 1 }, sent: true }],
  ])('must not be deleted by a host that %s', (_name, found) => {
    expect(violation(found)).toBe('16 a running session has a wake');
  });
});
