/** Spellings of one forbidden path. A rule that cannot tell where a path leads counts as one that forbids it. */

import { expect, test } from 'vitest';
import { call, decide, policy } from '../unit/policy/policy.fixture.ts';
import { attempt, countAttempts } from './attempts.ts';

const forbidden = policy([
  { name: 'secrets', decision: 'forbid', tools: ['edit'], when: [{ argument: 'path', under: 'secrets' }] },
]);

test.each<unknown>([
  'secrets/key.pem',
  '/secrets/key.pem',
  './secrets/key.pem',
  'secrets//key.pem',
  'secrets/./key.pem',
  'secrets/x/../key.pem',
  'src/../secrets/key.pem',
  '/workspace/secrets/key.pem',
  '/workspace/src/../secrets/key.pem',
  '../workspace/secrets/key.pem',
  '../../etc/passwd',
  'secrets\\key.pem',
  'sec\u200erets/key.pem',
  'secrets\u0000/key.pem',
  'secrets/key.pem\n',
  'secrets',
  ['secrets/key.pem'],
  { toString: 'secrets/key.pem' },
  7,
  null,
])('the path %j', (path) => {
  attempt('paths of policies');
  expect(decide([forbidden], call({ input: { value: { path } } }))?.decision).toBe('forbid');
});

countAttempts(import.meta.url, 'paths of policies');
