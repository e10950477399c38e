/**
 * Lanes: the queues of steps, one or several (docs/scale.md#lanes). A session's wakes go to one of them by hash. They
 * are equally valid in any other, since HEAD says what there is to do, so the number of lanes may change while messages
 * are in flight.
 */

import { hash } from '../agent/plain/hash.ts';
import type { SessionKey } from '../contract/session.ts';

/** Hex digits of the hash that are used: 32 bits. */
const HEX = 8;

/** The lane that the wakes of a session go to, from 0. */
export const laneOf = ({ tenant, sessionId }: SessionKey, lanes: number): number =>
  lanes <= 1 ? 0 : Number.parseInt(hash(`${tenant}#${sessionId}`, HEX), 16) % lanes;

/** URL of the queue with that name in the account and region of another queue. */
export const urlBeside = (url: string, name: string): string => url.slice(0, url.lastIndexOf('/') + 1) + name;

/**
 * URLs of all lanes.
 *
 * @param first URL of the first lane
 * @param lanes how many there are
 * @param name of the others, without their numbers
 */
export const lanesOf = (first: string, lanes: number, name: string): readonly string[] => [
  first,
  ...Array.from({ length: lanes - 1 }, (_, i) => urlBeside(first, `${name}${i + 1}`)),
];
