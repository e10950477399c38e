/** A signed event of another service. */

import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { attempt } from '../attempts.ts';
import { becomes, type Company } from '../company.ts';

export function webhookDoor(it: () => Company): void {
  test('a webhook is the requester of the run that it begins', async () => {
    attempt('borrowed rights');
    const { api, webhookSecret } = it().world;
    const body = JSON.stringify({ action: 'opened', issue: { number: 1, title: 'hello' } });
    const signature = createHmac('sha256', webhookSecret).update(body).digest('hex');
    const answer = await api('POST', '/hooks/github', body, {
      'x-github-event': 'issues',
      'x-github-delivery': '1',
      'x-hub-signature-256': `sha256=${signature}`,
    });
    expect(answer.status).toBe(202);
    const id = await sessionIdFor('hook', 'github:test#1');
    await becomes(it(), id, 'completed');
    expect(await it().requestersOf(id)).toEqual(['webhook:github']);
  });
}
