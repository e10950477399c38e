/**
 * Borrowed rights: every door by which words may reach a run, with everyone who may stand at it. One table says who becomes a
 * requester of the run; policies, four eyes, grants and `context.user` read only that.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mayHaveChanged } from '../support/step-lines.ts';
import { attempt, countAttempts } from './attempts.ts';
import { type Company, company, type Role, roles } from './company.ts';
import { type Door, prepared } from './kinds/door.ts';
import { type DoorName, doors } from './kinds/doors.ts';
import { slackDoors } from './kinds/slack-doors.ts';
import { slackForms } from './kinds/slack-forms.ts';
import { webhookDoor } from './kinds/webhook-door.ts';

/** `asks`: becomes a requester. `silent`: is let in, and does not become one. A status: is refused. */
type Outcome = 'asks' | 'silent' | number;
/** In the order of `roles`. */
type Row = readonly [Outcome, Outcome, Outcome, Outcome, Outcome, Outcome, Outcome, Outcome];

const everyone: Row = ['asks', 'asks', 'asks', 'asks', 'asks', 'asks', 'asks', 'asks'];
/** People who see the session may write to it, and all their words count. For others it does not exist. */
const words: Row = ['asks', 404, 404, 'asks', 'asks', 'asks', 'asks', 'asks'];
const noWords: Row = ['silent', 404, 404, 'silent', 'silent', 'silent', 'silent', 'silent'];
/** Everyone of the tenant may decide, except keys that were not minted for it. Ada has asked for the run already. */
const decides: Row = ['asks', 'silent', 'silent', 'silent', 'silent', 403, 'silent', 'silent'];
const decidesInWords: Row = ['asks', 'asks', 'asks', 'asks', 'asks', 403, 'asks', 'asks'];
/** Only finance answers. People who see the session learn that, and others do not. */
const finance: Row = [403, 404, 'asks', 403, 403, 403, 403, 403];

const table: Readonly<Record<DoorName, Row>> = {
  'a new session': everyone,
  'a message over HTTP': words,
  'a message over AG-UI': words,
  'a message over chat': words,
  'a message while a question is open': words,
  'an answer over HTTP': words,
  'an answer over the WebSocket': words,
  'an answer over AG-UI': words,
  'an answer over chat': words,
  'an answer of a page over HTTP': words,
  'an answer of a page over AG-UI': words,
  'an answer of a page over chat': words,
  'a refusal with a note': decidesInWords,
  'a refusal without a word': decides,
  'an approval whose note no model reads': decides,
  'a retry': words,
  'an edit': words,
  'a fork with a message': words,
  'a fork without a word': noWords,
  'a request to wrap up': words,
  'a cancel': ['asks', 404, 404, 'silent', 'silent', 'silent', 'silent', 'silent'],
  'a new title': ['asks', 404, 404, 'silent', 'silent', 'silent', 'silent', 'silent'],
  'a schedule': everyone,
  'a schedule that writes to a session': words,
  "a run of another's schedule": ['asks', 404, 404, 403, 'silent', 403, 403, 'silent'],
  'an answer to a question for finance': finance,
  'an answer to a question for finance over the WebSocket': finance,
  'an answer to a question for finance over AG-UI': [403, 404, 404, 403, 403, 403, 403, 403],
  'an answer to a question for finance over chat': [403, 404, 404, 403, 403, 403, 403, 403],
  'a message while a question for finance is open': words,
  'an answer to a child': words,
  'a message while a child asks': words,
  'a refusal to a child with a note': decidesInWords,
  'an approval to a child': decides,
  'an answer to a child that asks finance': finance,
};
/** Doors after which Ada's own words are still in the run. */
const keepsHers = (door: DoorName) =>
  doors[door].before !== 'hello' || door === 'a new title' || door === "a run of another's schedule";

let it: Company;
beforeAll(async () => {
  it = await company();
});
afterAll(() => it?.[Symbol.asyncDispose]());

/** Lets a run go on that waits for someone else, so that it reads what it was told meanwhile. */
const settling: Partial<Record<DoorName, { readonly by: Role; readonly decision: object }>> = {
  'a request to wrap up': { by: 'admin', decision: { approved: false } },
  'a message while a question for finance is open': {
    ...{ by: 'finance', decision: { approved: true, note: 'FIN' } },
  },
};

async function tried(name: DoorName, role: Role): Promise<[Role, Outcome]> {
  attempt('borrowed rights');
  const { subject, call } = it.caller(role);
  const door: Door = doors[name];
  const at = await prepared(it.caller('owner').call, door);
  const where = await door.go(call, at, it.connect);
  if (typeof where === 'number') {
    // A refusal leaves the run as it was.
    expect(await it.requestersOf(at.id), role).toEqual(['user:ada']);
    return [role, where];
  }
  const settles = settling[name];
  if (settles)
    await it
      .caller(settles.by)
      .call('POST', `/sessions/${at.id}/decisions`, { id: at.waitId, ...settles.decision });
  if (name !== 'a fork without a word') await ended(where.id);
  const requesters = await it.requestersOf(where.id);
  if (keepsHers(name)) expect(requesters, role).toContain('user:ada');
  // The words of the answer come from what the child was told.
  if (at.child) expect(await it.requestersOf(at.child), role).toEqual(requesters);
  return [role, requesters.includes(subject) ? 'asks' : 'silent'];
}

/** Resolves when the session's run has ended, and waits for nothing. */
async function ended(id: string): Promise<void> {
  const isOpen = async () => /^(running|idle|waiting)/.test((await it.world.session(id)).state);
  while (await isOpen()) await mayHaveChanged(id);
}

describe('over our own APIs', () => {
  test.each(Object.keys(table) as DoorName[])(
    '%s: who becomes a requester, and who is refused',
    async (door) => {
      const found = await Promise.all(roles.map((role) => tried(door, role)));
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries(roles.map((role, n) => [role, table[door][n]])),
      );
    },
  );
});

describe('over Slack', () => slackDoors(() => it));
describe('over forms in Slack', () => slackForms(() => it));
describe('over a webhook', () => webhookDoor(() => it));

countAttempts(import.meta.url, 'borrowed rights', 'forms in Slack');
