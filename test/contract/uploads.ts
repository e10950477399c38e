import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../shared/agent/ports/ports.ts';
import { UPLOAD_MS, type Uploads, type UploadsOfPeople } from '../../shared/edge/uploads.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';

const plan = { id: 'u1', name: 'plan.pdf', by: 'user:ada' };

/** The contract of `Uploads`. */
export function uploadsContract(
  name: string,
  open: (clock: Clock) => Promise<Uploads & UploadsOfPeople>,
): void {
  describe(`${name}: uploads`, () => {
    let clock: VirtualClock;
    let uploads: Uploads & UploadsOfPeople;
    beforeEach(async () => {
      clock = virtualClock();
      uploads = await open(clock);
      await uploads.announce('acme', plan);
    });

    test('a message takes an upload over, and gets its name', async () => {
      expect(await uploads.take('acme', 'u1', 'user:ada', 's1 e1')).toEqual({
        kind: 'taken',
        name: 'plan.pdf',
      });
    });

    test('the same message takes it again, as after a lost response; another message does not', async () => {
      await uploads.take('acme', 'u1', 'user:ada', 's1 e1');
      expect((await uploads.take('acme', 'u1', 'user:ada', 's1 e1')).kind).toBe('taken');
      expect(await uploads.take('acme', 'u1', 'user:ada', 's1 e2')).toEqual({ kind: 'used' });
    });

    test('of many messages at once one takes it', async () => {
      const taken = await Promise.all(
        [1, 2, 3, 4, 5].map((n) => uploads.take('acme', 'u1', 'user:ada', `s1 e${n}`)),
      );
      expect(taken.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
      expect(taken.filter(({ kind }) => kind === 'used')).toHaveLength(4);
    });

    test('a released upload can be taken by another message, and is released only by its own', async () => {
      await uploads.take('acme', 'u1', 'user:ada', 's1 e1');
      await uploads.giveBack('acme', 'u1', 's1 e2');
      expect((await uploads.take('acme', 'u1', 'user:ada', 's1 e2')).kind).toBe('used');
      await uploads.giveBack('acme', 'u1', 's1 e1');
      expect((await uploads.take('acme', 'u1', 'user:ada', 's1 e2')).kind).toBe('taken');
    });

    test.each([
      ['of another tenant', 'globex', 'u1', 'user:ada'],
      ['of another person', 'acme', 'u1', 'user:bob'],
      ['that was never announced', 'acme', 'u2', 'user:ada'],
    ])('one %s is unknown', async (_whose, tenant, id, by) => {
      expect(await uploads.take(tenant, id, by, 's1 e1')).toEqual({ kind: 'unknown' });
      expect((await uploads.take('acme', 'u1', 'user:ada', 's1 e1')).kind).toBe('taken');
    });

    test('a person’s uploads can be forgotten, and no other person’s are', async () => {
      await uploads.announce('acme', { ...plan, id: 'u2' });
      await uploads.announce('acme', { ...plan, id: 'u3', by: 'user:bob' });
      await uploads.announce('globex', plan);
      expect(await uploads.forget('acme', 'user:ada')).toBe(2);
      expect(await uploads.forget('acme', 'user:ada')).toBe(0);
      expect((await uploads.take('acme', 'u1', 'user:ada', 's1 e1')).kind).toBe('unknown');
      expect((await uploads.take('acme', 'u3', 'user:bob', 's1 e1')).kind).toBe('taken');
      expect((await uploads.take('globex', 'u1', 'user:ada', 's1 e1')).kind).toBe('taken');
    });

    test('an expired upload is unknown, taken or not', async () => {
      await clock.advance(UPLOAD_MS);
      expect(await uploads.take('acme', 'u1', 'user:ada', 's1 e1')).toEqual({ kind: 'unknown' });
    });
  });
}
