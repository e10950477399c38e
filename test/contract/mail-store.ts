import { beforeEach, describe, expect, test } from 'vitest';
import { type KeptMail, type MailStore, MOST_MAILS } from '../../shared/email/store.ts';

/** The contract of `MailStore`. */
export function mailStoreContract(name: string, open: () => Promise<MailStore>): void {
  describe(`${name}: threads of mails`, () => {
    let store: MailStore;
    beforeEach(async () => {
      store = await open();
    });
    const help = { tenant: 'acme', mailbox: 'help@acme.example' };
    const key = { tenant: 'acme', sessionId: 's1' };
    const mail = (at: number, id = `<${at}@x>`): KeptMail => ({
      id,
      at,
      from: 'bob@example.com',
      people: ['bob@example.com'],
      subject: 'Hello',
      references: [],
      mailbox: help.mailbox,
    });

    test('the first id that is known tells the session', async () => {
      await store.note(help, '<a@x>', 's1');
      await store.note(help, '<b@x>', 's2');
      expect(await store.find(help, ['<none@x>', '<b@x>', '<a@x>'])).toBe('s2');
      expect(await store.find(help, ['<none@x>'])).toBeUndefined();
      expect(await store.find(help, [])).toBeUndefined();
    });

    test('an id keeps its first session', async () => {
      await store.note(help, '<a@x>', 's1');
      await store.note(help, '<a@x>', 's2');
      expect(await store.find(help, ['<a@x>'])).toBe('s1');
    });

    test('ids of one tenant and of one address are unknown to all others', async () => {
      await store.note(help, '<a@x>', 's1');
      expect(await store.find({ ...help, tenant: 'other' }, ['<a@x>'])).toBeUndefined();
      expect(await store.find({ ...help, mailbox: 'sales@acme.example' }, ['<a@x>'])).toBeUndefined();
    });

    test('mails are kept once, in order, and the last ones are read', async () => {
      await store.keep(key, mail(20));
      await store.keep(key, mail(10));
      await store.keep(key, mail(20));
      expect(await store.mails(key)).toEqual([mail(10), mail(20)]);
      expect(await store.mails({ ...key, sessionId: 's2' })).toEqual([]);
      for (let at = 100; at < 100 + MOST_MAILS; at++) await store.keep(key, mail(at));
      const mails = await store.mails(key);
      expect(mails).toHaveLength(MOST_MAILS);
      expect(mails.at(0)?.at).toBe(100);
    });
  });
}
