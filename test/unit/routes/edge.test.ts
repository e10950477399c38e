import { describe, expect, test } from 'vitest';
import { asSent, requireEdge } from '../../../functions/middleware/edge.ts';

const secret = async () => 'the-secret';

describe('requests to a deployment with a distribution', () => {
  test('pass with its secret, and all pass where there is none', async () => {
    await requireEdge({ 'x-steploop-edge': 'the-secret' }, secret);
    await requireEdge({});
  });

  test.each([
    [{}],
    [{ 'x-steploop-edge': '' }],
    [{ 'x-steploop-edge': 'the-secre' }],
    [{ 'x-steploop-edge': 'the-secret ' }],
    [{ authorization: 'Bearer the-secret' }],
  ])('are refused with %j, and told where to go', async (headers) => {
    await expect(requireEdge(headers, secret)).rejects.toMatchObject({
      problem: { status: 403, detail: expect.stringContaining('AguiUrl') },
    });
  });
});

test('the credential comes from its own header where a signature has taken Authorization', () => {
  const signed = { authorization: 'AWS4-HMAC-SHA256 …', 'x-steploop-authorization': 'Bearer sl_x' };
  expect(asSent(signed).authorization).toBe('Bearer sl_x');
  expect(asSent({ authorization: 'Bearer t' })).toEqual({ authorization: 'Bearer t' });
});
