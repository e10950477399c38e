/** Attacks on one running deployment. Each kind has its table in `kinds/`. */

import { afterAll, beforeAll, describe } from 'vitest';
import { countAttempts } from './attempts.ts';
import { callbackTokens } from './kinds/callback-tokens.ts';
import { forgedCredentials } from './kinds/credentials.ts';
import { decisions } from './kinds/decisions.ts';
import { input } from './kinds/input.ts';
import { races } from './kinds/races.ts';
import { planMode, replays } from './kinds/rights.ts';
import { plantedSecrets } from './kinds/secrets.ts';
import { contentPolicy, embeddedServices, internalAddresses } from './kinds/surroundings.ts';
import { type Target, target } from './target.ts';

let it: Target;
beforeAll(async () => {
  it = await target();
});
afterAll(() => it?.[Symbol.asyncDispose]());

const attacked = () => it;
describe('forged credentials', () => forgedCredentials(attacked));
describe('altered callback tokens', () => callbackTokens(attacked));
describe('altered decisions and grants', () => decisions(attacked));
describe('input', () => input(attacked));
describe('internal addresses', () => internalAddresses(attacked));
describe('the content security policy', () => contentPolicy(attacked));
describe('pages at the embedded services', () => embeddedServices(attacked));
describe('plan mode', () => planMode(attacked));
describe('replays', () => replays(attacked));
describe('races for an id', () => races(attacked));
describe('planted secrets', () => plantedSecrets(attacked));

countAttempts(
  import.meta.url,
  ...(['forged credentials', 'altered callback tokens', 'altered decisions and grants'] as const),
  ...(['traversal', 'names of prototypes', 'malformed and oversized input', 'replays', 'plan mode'] as const),
  ...(['internal addresses', 'content security policy', 'planted secrets'] as const),
  ...(['pages at the embedded services', 'races for an id'] as const),
);
