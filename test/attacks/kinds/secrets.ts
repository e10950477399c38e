import { expect, test } from 'vitest';
import { attempt } from '../attempts.ts';
import type { Call, Target } from '../target.ts';

/** A text that occurs nowhere else, and that nothing may log. */
const planted = (where: string) => `hush-${where}-correct-horse`;

/** Where people, tools and servers can put a secret. Each plants one. */
const places: readonly [
  where: string,
  plant: (secret: string, call: Call, it: Target) => Promise<unknown>,
][] = [
  ['message', (secret, call, it) => it.rested(call, secret)],
  ['title', (secret, call, it) => it.rested(call, 'hello', { title: secret })],
  ['metadata', (secret, call, it) => it.rested(call, 'hello', { metadata: { note: secret } })],
  [
    'unknown-field',
    (secret, call) => call('POST', '/sessions', { agent: 'worker', message: 'x', [secret]: secret }),
  ],
  ['agent', (secret, call) => call('POST', '/sessions', { agent: secret, message: 'x' })],
  ['malformed-body', (secret, call) => call('POST', '/sessions', `{"message":"${secret}`)],
  ['path', (secret, call) => call('GET', `/sessions/${secret}`)],
  ['query', (secret, call) => call('GET', `/sessions?q=${secret}`)],
  ['upload', (secret, call) => call('POST', '/uploads', { name: secret, mediaType: 'image/png', bytes: 7 })],
  ['key', (secret, _, { as }) => as(`sl_acme.aaaaaaaaaaaa_${secret}`)('GET', '/sessions')],
  ['token', (secret, _, { as }) => as(secret)('GET', '/sessions')],
  ['callback', (secret, call) => call('POST', `/callbacks/slt_${secret}`, { result: secret })],
  [
    'webhook',
    (secret, _, { world }) => world.api('POST', '/hooks/standard', secret, { 'webhook-signature': secret }),
  ],
  ['model-error', (secret, call, it) => it.rested(call, `fail api_key=${secret}`)],
  ['tool-error', (secret, call, it) => it.rested(call, `break ${secret}`)],
  [
    'answer',
    async (secret, call, it) => {
      const { id, session } = await it.rested(call, 'ask');
      const [wait] = session.waits;
      return call('POST', `/sessions/${id}/decisions`, { id: wait.id, approved: true, note: secret });
    },
  ],
  [
    'refusal',
    async (secret, call, it) => {
      const { id, session } = await it.rested(call, 'transfer');
      const [wait] = session.waits;
      return call('POST', `/sessions/${id}/decisions`, { id: wait.id, approved: false, note: secret });
    },
  ],
];

export function plantedSecrets(it: () => Target): void {
  test.each(places)('a secret in a %s is in no log', async (where, plant) => {
    attempt('planted secrets');
    const before = it().logged.length;
    await plant(planted(where), await it().user('ada', 'steploop-admin'), it());
    // The last line of a step comes after the answer.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(it().logged.slice(before).join('\n')).not.toContain(planted(where));
  });

  test('the logs are read at all', () => {
    expect(it().logged.length).toBeGreaterThan(10);
  });
}
