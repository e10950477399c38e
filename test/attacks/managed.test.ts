/** Attacks on managed compute, where requests of different users share an environment. */

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { countAttempts } from './attempts.ts';
import { races } from './kinds/races.ts';
import { type Target, target } from './target.ts';

let it: Target;
const environments = new Set<string>();
beforeAll(async () => {
  it = await target({
    assembly: inject('assemblies').managed,
    onInvocation: ({ functionId, environmentId }) => {
      if (functionId.startsWith('AgentsAgui')) environments.add(environmentId);
    },
  });
});
afterAll(() => it?.[Symbol.asyncDispose]());

describe('races for an id', () => races(() => it));

test('all requests shared one environment', () => {
  expect(environments.size).toBe(1);
});

countAttempts(import.meta.url, 'races for an id');
