import { beforeEach, describe, expect, test } from 'vitest';
import type { HookLog } from '../../shared/edge/hook-log.ts';

/** What every `HookLog` does. */
export function hookLogContract(name: string, open: () => Promise<HookLog>): void {
  describe(`${name}: the log of deliveries`, () => {
    let log: HookLog;
    beforeEach(async () => {
      log = await open();
    });
    const bytes = (text: string) => Buffer.from(text);
    /** A delivery whose id is signed. */
    const note = (id: string, body: string, source = 'stripe', tenant = 'acme') =>
      log.note({ tenant, source, id, body: bytes(body) });
    /** A delivery whose id is not. */
    const noteSigned = (id: string, body: string, signed = body, source = 'github', tenant = 'acme') =>
      log.note({ tenant, source, id, body: bytes(body), signed: bytes(signed) });

    test('a delivery is new once; the same bytes are known, others a conflict', async () => {
      expect(await note('evt_1', '{}')).toBe('new');
      expect(await note('evt_1', '{}')).toBe('known');
      expect(await note('evt_1', '{ }')).toBe('conflict');
      expect(await note('evt_1', '{}')).toBe('known');
    });

    test('ids are the sender’s own: another source, another tenant, any characters', async () => {
      await note('a#b', '1');
      expect(await note('a#b', '2', 'github')).toBe('new');
      expect(await note('a#b', '2', 'stripe', 'other')).toBe('new');
      expect(await note(`a#b${'x'.repeat(5000)}`, '2')).toBe('new');
    });

    test('the same body under another id is new where the id is signed', async () => {
      expect(await note('evt_1', '{}')).toBe('new');
      expect(await note('evt_2', '{}')).toBe('new');
    });

    test('what is signed comes once where the id is not signed: under another id it is a replay', async () => {
      expect(await noteSigned('d1', '{}')).toBe('new');
      expect(await noteSigned('d2', '{}')).toBe('replay');
      expect(await noteSigned('d2', '{}')).toBe('replay');
      expect(await noteSigned('d1', '{}')).toBe('known');
      expect(await noteSigned('d3', '{ }')).toBe('new');
    });

    test('a retry that is signed anew is known, and its signature is remembered too', async () => {
      expect(await noteSigned('d1', '{}', '1.{}')).toBe('new');
      expect(await noteSigned('d1', '{}', '2.{}')).toBe('known');
      expect(await noteSigned('d2', '{}', '2.{}')).toBe('replay');
      expect(await noteSigned('d3', '{}', '3.{}')).toBe('new');
    });

    test('a conflict takes nothing from the delivery whose body it has', async () => {
      expect(await noteSigned('d1', 'one')).toBe('new');
      expect(await noteSigned('d1', 'two')).toBe('conflict');
      expect(await noteSigned('d2', 'two')).toBe('new');
    });

    test('what is signed is remembered for each source and tenant', async () => {
      await noteSigned('d1', '{}');
      expect(await noteSigned('d2', '{}', '{}', 'gitlab')).toBe('new');
      expect(await noteSigned('d2', '{}', '{}', 'github', 'other')).toBe('new');
    });

    test('of many that come at once, one is new', async () => {
      const noted = await Promise.all(['d1', 'd2', 'd3', 'd4', 'd5'].map((id) => noteSigned(id, '{}')));
      expect(noted.toSorted()).toEqual(['new', 'replay', 'replay', 'replay', 'replay']);
      const same = await Promise.all([1, 2, 3].map(() => noteSigned('e1', 'other')));
      expect(same.toSorted()).toEqual(['known', 'known', 'new']);
    });
  });
}
