import { beforeEach, describe, expect, test } from 'vitest';
import type { HookLog } from '../../shared/edge/hook-log.ts';

/** The contract of `HookLog`. */
export function hookLogContract(name: string, open: () => Promise<HookLog>): void {
  describe(`${name}: the log of deliveries`, () => {
    let log: HookLog;
    beforeEach(async () => {
      log = await open();
    });
    const bytes = (text: string) => Buffer.from(text);
    /** Notes a delivery whose id is signed. */
    const note = (id: string, body: string, source = 'stripe', tenant = 'acme') =>
      log.note({ tenant, source, id, body: bytes(body) });
    /** Notes a delivery whose id is not signed. */
    const noteSigned = (id: string, body: string, signed = body, source = 'github', tenant = 'acme') =>
      log.note({ tenant, source, id, body: bytes(body), signed: bytes(signed) });

    test('a delivery is new once; the same bytes are known, other bytes are a conflict', async () => {
      expect(await note('evt_1', '{}')).toBe('new');
      expect(await note('evt_1', '{}')).toBe('known');
      expect(await note('evt_1', '{ }')).toBe('conflict');
      expect(await note('evt_1', '{}')).toBe('known');
    });

    test('ids are scoped to their sender: another source, another tenant, any characters', async () => {
      await note('a#b', '1');
      expect(await note('a#b', '2', 'github')).toBe('new');
      expect(await note('a#b', '2', 'stripe', 'other')).toBe('new');
      expect(await note(`a#b${'x'.repeat(5000)}`, '2')).toBe('new');
    });

    test('the same body under another id is new if the id is signed', async () => {
      expect(await note('evt_1', '{}')).toBe('new');
      expect(await note('evt_2', '{}')).toBe('new');
    });

    test('if the id is not signed, a signed body is accepted once: under another id it is a replay', async () => {
      expect(await noteSigned('d1', '{}')).toBe('new');
      expect(await noteSigned('d2', '{}')).toBe('replay');
      expect(await noteSigned('d2', '{}')).toBe('replay');
      expect(await noteSigned('d1', '{}')).toBe('known');
      expect(await noteSigned('d3', '{ }')).toBe('new');
    });

    test('a retry with a new signature is known, and that signature is remembered too', async () => {
      expect(await noteSigned('d1', '{}', '1.{}')).toBe('new');
      expect(await noteSigned('d1', '{}', '2.{}')).toBe('known');
      expect(await noteSigned('d2', '{}', '2.{}')).toBe('replay');
      expect(await noteSigned('d3', '{}', '3.{}')).toBe('new');
    });

    test('a conflict leaves the delivery whose body it has alone', async () => {
      expect(await noteSigned('d1', 'one')).toBe('new');
      expect(await noteSigned('d1', 'two')).toBe('conflict');
      expect(await noteSigned('d2', 'two')).toBe('new');
    });

    test('signed bodies are remembered per source and tenant', async () => {
      await noteSigned('d1', '{}');
      expect(await noteSigned('d2', '{}', '{}', 'gitlab')).toBe('new');
      expect(await noteSigned('d2', '{}', '{}', 'github', 'other')).toBe('new');
    });

    test('of many that arrive at once, one is new', async () => {
      const noted = await Promise.all(['d1', 'd2', 'd3', 'd4', 'd5'].map((id) => noteSigned(id, '{}')));
      expect(noted.toSorted()).toEqual(['new', 'replay', 'replay', 'replay', 'replay']);
      const same = await Promise.all([1, 2, 3].map(() => noteSigned('e1', 'other')));
      expect(same.toSorted()).toEqual(['known', 'known', 'new']);
    });
  });
}
