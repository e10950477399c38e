import { calls, rehearse, says } from 'steploop/testing';
import { expect, test } from 'vitest';
import { reviewer } from '../agents/reviewer.ts';
import { onPullRequest } from '../agents/webhook.ts';

const delivery = (action: string, draft: boolean) => ({
  name: 'pull_request',
  deliveryId: 'd-1',
  headers: {},
  payload: {
    action,
    repository: { full_name: 'acme/shop' },
    pull_request: { number: 12, draft, title: 'Round prices', body: null },
  },
});

test('a pull request that is opened is reviewed once', async () => {
  const woken = onPullRequest.map(delivery('opened', false));
  expect(woken?.sessionKey).toBe('github:acme/shop#12');
  const pull = { repo: 'acme/shop', number: 12 };
  const run = await rehearse(reviewer, {
    user: woken?.message ?? '',
    model: [
      calls(['read_changes', pull]),
      calls(['post_review', { ...pull, text: 'price.ts: rounds down.' }]),
      says('I found one mistake.'),
    ],
    tools: {
      read_changes: () => [{ filename: 'price.ts', status: 'modified', patch: '+Math.floor(price)' }],
      post_review: () => ({ posted: true }),
    },
  });
  expect(run.calls.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    'read_changes ok',
    'post_review ok',
  ]);
});

test.each([
  { action: 'opened', draft: true },
  { action: 'closed', draft: false },
])('$action with draft=$draft wakes no agent', ({ action, draft }) => {
  expect(onPullRequest.map(delivery(action, draft))).toBeUndefined();
});
