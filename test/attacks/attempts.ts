import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';

/** The kinds of attacks, with the fewest attempts of each: a table that loses its rows fails its file. */
const fewest = {
  'another tenant': 90,
  'another user of the tenant': 33,
  'forged credentials': 100,
  'altered callback tokens': 20,
  'altered decisions and grants': 20,
  traversal: 30,
  'names of prototypes': 280,
  'pages at the embedded services': 25,
  'content security policy': 6,
  'internal addresses': 40,
  'planted secrets': 17,
  'malformed and oversized input': 120,
  replays: 8,
  'plan mode': 4,
  'paths of policies': 20,
  'borrowed rights': 265,
  'races for an id': 80,
  mails: 40,
  'forms in Slack': 12,
} as const;
export type Kind = keyof typeof fewest;

const made = new Map<Kind, number>();

/** Counts an attempt, right before it is made. */
export function attempt(kind: Kind, times = 1): void {
  made.set(kind, (made.get(kind) ?? 0) + times);
}

/** The last test of a file: it has made the attempts of its kinds. */
export function countAttempts(file: string, ...kinds: readonly Kind[]): void {
  test.each(kinds)('enough attempts were made: %s', (kind) => {
    expect(made.get(kind) ?? 0).toBeGreaterThanOrEqual(fewest[kind]);
  });
  afterAll(() => {
    writeFileSync(join(inject('attempts'), `${basename(file)}.json`), JSON.stringify([...made]));
  });
}
