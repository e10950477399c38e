/** Where the table notes people: what is to be deleted of them (`layout.ts` has everything else). */

import type { Person } from '../agent/entrypoints/people.ts';
import { hash } from '../agent/plain/hash.ts';
import type { ItemKey } from './dynamo.ts';

/** Seconds for which the table keeps that a person's data was deleted, without their name: 30 days. */
export const RECORD_SECONDS = 30 * 24 * 3600;

/** The partition of what is noted of a person. A subject may contain any character, so its hash stands for it. */
export const personPk = ({ tenant, user }: Person): string => `${tenant}#person#${hash(user)}`;
export const erasureKey = (person: Person): ItemKey => ({ pk: personPk(person), sk: 'ERASURE' });
/** Sessions that are deleted with a person's data. */
export const notedPrefix = 'S#';
export const notedKey = (person: Person, sessionId: string): ItemKey => ({
  pk: personPk(person),
  sk: `${notedPrefix}${sessionId}`,
});
/** Uploads that a person has announced. */
export const uploadOfPrefix = 'U#';
export const uploadOfKey = (person: Person, id: string): ItemKey => ({
  pk: personPk(person),
  sk: `${uploadOfPrefix}${id}`,
});
