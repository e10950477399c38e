import { hash } from '../agent/plain/hash.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { type KeptMail, type MailboxOf, type MailStore, MOST_MAILS } from '../email/store.ts';
import type { Dynamo } from './dynamo.ts';
import { endOf, mailIdKey, mailKey, mailPrefix, pkOf, ttlFrom } from './layout.ts';

/** Seconds for which an id is known after its mail: half a year. A later reply begins a new session. */
const ID_LIFETIME = 180 * 24 * 3600;

/**
 * Threads of mails in DynamoDB: an item for each id, by its hash, which expires; and in the partition of the session an item for each mail
 * that it has received, which is deleted with the session.
 */
export function createMailStore(dynamo: Dynamo, clock: Pick<Clock, 'now'>): MailStore {
  return {
    async find(of, ids) {
      const keys = ids.map((id) => keyOf(of, id));
      const known = new Map((await dynamo.getAll(keys)).map(({ pk, sessionId }) => [pk, sessionId]));
      return keys.map(({ pk }) => known.get(pk)).find((found) => found !== undefined);
    },

    async note(of, id, sessionId) {
      const ttl = ttlFrom(clock.now(), ID_LIFETIME);
      await dynamo.put({ ...keyOf(of, id), sessionId, ttl }, ['attribute_not_exists(#pk)']);
    },

    async keep(key, mail) {
      await dynamo.put({ ...mailKey(key, mail.at, hash(mail.id, 16)), text: JSON.stringify(mail) });
    },

    async mails(key) {
      const mails: KeptMail[] = [];
      const newest = { newestFirst: true, limit: MOST_MAILS };
      for await (const { text } of dynamo.range(pkOf(key), mailPrefix, endOf(mailPrefix), newest)) {
        mails.push(JSON.parse(text));
        if (mails.length === MOST_MAILS) break;
      }
      return mails.reverse();
    },
  };
}

const keyOf = ({ tenant, mailbox }: MailboxOf, id: string) => mailIdKey(tenant, hash(`${mailbox} ${id}`));
