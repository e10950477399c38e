import { beforeEach, describe, expect, test } from 'vitest';
import type { InboxStore } from '../../shared/agent/ports/inbox.ts';
import type { Clock } from '../../shared/agent/ports/ports.ts';
import type { SessionStore } from '../../shared/agent/ports/sessions.ts';
import { newRun, type Session } from '../../shared/agent/session/session.ts';
import type { Next } from '../../shared/agent/session/wake.ts';
import type { LimitOptions, Limits } from '../../shared/edge/limits.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';
import { anEvent, aSession, claimAs, commitOf } from './harness.ts';

const MINUTE = 60_000;
/** Time in ms within which a freed place is given away. */
const LOOK_MS = 2_000;

/** Limits, and the sessions whose HEADs they check. */
export interface LimitedStores {
  readonly limits: Limits;
  readonly sessions: SessionStore;
  readonly inbox: InboxStore;
}

/** The contract of `Limits`. */
export function limitsContract(
  name: string,
  open: (clock: Clock, options: LimitOptions) => Promise<LimitedStores>,
): void {
  describe(`${name}: limits`, () => {
    let clock: VirtualClock;
    let stores: LimitedStores;
    let limits: Limits;
    let events: number;
    beforeEach(async () => {
      clock = virtualClock();
      await clock.advance(MINUTE - (clock.now() % MINUTE));
      events = 0;
      stores = await open(clock, { messagesPerMinute: 3, sessionsAtOnce: 2 });
      limits = stores.limits;
    });

    const keyOf = (sessionId: string, tenant = 'acme') => ({ tenant, sessionId });
    async function runs(sessionId: string): Promise<void> {
      await stores.sessions.create(aSession({ key: keyOf(sessionId) }));
      await stores.inbox.accept(keyOf(sessionId), anEvent(`e${++events}`), clock.now());
    }
    /** A step of a run that began just now, which ends like this. */
    async function steps(sessionId: string, next: Next, state: Session['state']): Promise<void> {
      const of = { key: keyOf(sessionId), at: clock.now() };
      const claim = await claimAs(stores, `i${++events}`, of);
      if (claim.kind !== 'claimed') throw new Error(`not claimed but ${claim.kind}`);
      const { session, fence } = claim.view;
      const run = { ...newRun, id: `run${events}`, startedAt: clock.now() };
      const after = { ...session, version: session.version + 1, state, run };
      const incorporated = fence.inbox;
      const commit = { next, session: after, incorporated, now: clock.now() };
      await stores.sessions.commit(commitOf(claim.view, commit));
    }
    const ends = (sessionId: string) => steps(sessionId, { kind: 'rest' }, 'completed');
    const waits = (sessionId: string, state: Session['state'], next: Next) => steps(sessionId, next, state);
    const session = async (sessionId: string, tenant?: string) => {
      const placed = await limits.session(keyOf(sessionId, tenant));
      return 'since' in placed ? 'admitted' : placed;
    };
    /** Does what a message that is admitted and accepted does. */
    async function start(sessionId: string) {
      const admission = await session(sessionId);
      if (admission === 'admitted') await runs(sessionId);
      return admission;
    }

    describe('of messages', () => {
      test('admit as many as are allowed in a minute, and say when the next is', async () => {
        await clock.advance(20_500);
        for (let i = 0; i < 3; i++) expect(await limits.message('acme')).toBe('admitted');
        expect(await limits.message('acme')).toEqual({ retryAfterSeconds: 40 });
        await clock.advance(39_000);
        expect(await limits.message('acme')).toEqual({ retryAfterSeconds: 1 });
        await clock.advance(1_000);
        expect(await limits.message('acme')).toBe('admitted');
      });

      test('admit exactly that many of many at once', async () => {
        const admissions = await Promise.all(Array.from({ length: 10 }, () => limits.message('acme')));
        expect(admissions.filter((admission) => admission === 'admitted')).toHaveLength(3);
      });

      test('are separate for each tenant', async () => {
        for (let i = 0; i < 4; i++) await limits.message('acme');
        expect(await limits.message('acme')).not.toBe('admitted');
        expect(await limits.message('globex')).toBe('admitted');
      });
    });

    describe('of sessions', () => {
      test('admit as many as may run at once', async () => {
        expect([await start('s1'), await start('s2'), await start('s3')]).toEqual([
          'admitted',
          'admitted',
          { retryAfterSeconds: expect.any(Number) },
        ]);
        expect(await start('s1')).toBe('admitted');
      });

      test('admit exactly that many of many at once', async () => {
        const admissions = await Promise.all(Array.from({ length: 8 }, (_, i) => start(`s${i}`)));
        expect(admissions.filter((admission) => admission === 'admitted')).toHaveLength(2);
      });

      test('see that a session has come to rest when its room is needed, even without being told', async () => {
        await start('s1');
        await start('s2');
        await ends('s1');
        await clock.advance(LOOK_MS);
        expect(await start('s3')).toBe('admitted');
        expect(await start('s4')).not.toBe('admitted');
      });

      test('do not count a session that waits for a person', async () => {
        await start('s1');
        await start('s2');
        await waits('s1', 'waiting_for_input', { kind: 'wait_for_people', until: clock.now() + 86_400_000 });
        await clock.advance(LOOK_MS);
        expect(await start('s3')).toBe('admitted');
      });

      test('count a session that waited for a person and is about to continue', async () => {
        await start('s1');
        await start('s2');
        await waits('s1', 'waiting_for_input', { kind: 'wait_for_people', until: clock.now() + 86_400_000 });
        await runs('s1');
        await clock.advance(LOOK_MS);
        expect(await start('s3')).not.toBe('admitted');
      });

      test('count a session that waits for queued calls, which is due only when they are lost', async () => {
        await start('s1');
        await start('s2');
        await waits('s1', 'waiting_for_tool', { kind: 'wait_for_calls', until: clock.now() + 3_600_000 });
        await clock.advance(LOOK_MS);
        expect(await start('s3')).not.toBe('admitted');
      });

      test('count starts that are under way, however many come at once', async () => {
        const burst = await Promise.all(Array.from({ length: 30 }, (_, i) => session(`s${i}`)));
        expect(burst.filter((admission) => admission === 'admitted')).toHaveLength(2);
        for (let i = 0; i < 5; i++) {
          await clock.advance(2_000);
          expect(await session(`late${i}`)).not.toBe('admitted');
        }
      });

      test('give the place of a start that died to another, after the time that a start takes', async () => {
        await session('died1');
        await session('died2');
        await clock.advance(29_000);
        expect(await session('s1')).not.toBe('admitted');
        await clock.advance(2_000);
        expect(await start('s1')).toBe('admitted');
        expect(await start('s2')).toBe('admitted');
      });

      test('give a released place to another session at once, unless its session runs', async () => {
        await runs('s1');
        const places = [await limits.session(keyOf('s1')), await limits.session(keyOf('s2'))];
        for (const [i, place] of places.entries())
          if ('since' in place) await limits.giveBack(keyOf(`s${i + 1}`), place);
        expect(await start('s3')).toBe('admitted');
        expect(await start('s4')).not.toBe('admitted');
      });

      test('do not release the place of a later start in the same session', async () => {
        const place = await limits.session(keyOf('s1'));
        await clock.advance(10);
        await session('s1');
        if ('since' in place) await limits.giveBack(keyOf('s1'), place);
        await start('s2');
        expect(await start('s3')).not.toBe('admitted');
      });

      test('are separate for each tenant', async () => {
        for (const id of ['s1', 's2', 's3']) await start(id);
        expect(await session('s3', 'globex')).toBe('admitted');
      });
    });

    describe('of a large tenant’s sessions', () => {
      const MAY = 130;
      beforeEach(async () => {
        limits = (await open(clock, { messagesPerMinute: 3, sessionsAtOnce: MAY })).limits;
      });
      const named = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => prefix + i);
      /** Those of many concurrent starts that are admitted. */
      async function letIn(ids: readonly string[]): Promise<string[]> {
        const inside: string[] = [];
        for (let from = 0; from < ids.length; from += 40) {
          const some = ids.slice(from, from + 40);
          const admissions = await Promise.all(some.map((id) => session(id)));
          inside.push(...some.filter((_, i) => admissions[i] === 'admitted'));
        }
        return inside;
      }

      test('admit exactly that many of many at once, which may then continue', async () => {
        const inside = await letIn(named('s', MAY + 20));
        expect(inside).toHaveLength(MAY);
        expect(await letIn(inside)).toEqual(inside);
        expect(await letIn(['late'])).toEqual([]);
      });

      test('give the places of starts that died to others, and no more than those', async () => {
        expect(await letIn(named('died', MAY))).toHaveLength(MAY);
        await clock.advance(29_000);
        expect(await letIn(['early'])).toEqual([]);
        await clock.advance(2_000);
        // A start during a check may be refused; any start after it is admitted.
        const inside = await letIn(named('s', MAY));
        await clock.advance(LOOK_MS);
        expect(await letIn(named('t', MAY))).toHaveLength(MAY - inside.length);
      });

      test('give released places to others, wherever they are', async () => {
        const places = [];
        for (const id of named('s', MAY)) places.push(await limits.session(keyOf(id)));
        for (const [i, place] of places.entries())
          if ('since' in place) await limits.giveBack(keyOf(`s${i}`), place);
        const inside = await letIn(named('t', MAY));
        await clock.advance(LOOK_MS);
        expect(await letIn(named('u', MAY))).toHaveLength(MAY - inside.length);
      });
    });
  });
}
