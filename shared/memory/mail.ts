import type { SessionKey } from '../contract/session.ts';
import { type KeptMail, type MailboxOf, type MailStore, MOST_MAILS } from '../email/store.ts';
import { copy } from './copy.ts';
import { mapIn, pkOf } from './table.ts';

/** Threads of mails in memory. */
export function createMailStore(): MailStore {
  const ids = new Map<string, string>();
  const kept = new Map<string, Map<string, KeptMail>>();
  const nameOf = ({ tenant, mailbox }: MailboxOf, id: string) => `${tenant} ${mailbox} ${id}`;
  const of = (key: SessionKey) => mapIn(kept, pkOf(key));
  return {
    find: async (mailbox, all) =>
      all.map((id) => ids.get(nameOf(mailbox, id))).find((found) => found !== undefined),
    async note(mailbox, id, sessionId) {
      const name = nameOf(mailbox, id);
      if (!ids.has(name)) ids.set(name, sessionId);
    },
    keep: async (key, mail) => void of(key).set(`${mail.at} ${mail.id}`, copy(mail)),
    mails: async (key) =>
      [...of(key).values()]
        .sort((a, b) => a.at - b.at)
        .slice(-MOST_MAILS)
        .map(copy),
  };
}
