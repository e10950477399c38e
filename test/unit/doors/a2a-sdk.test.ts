import { expect, test } from 'vitest';
import type { A2aDoor } from '../../../functions/doors/a2a/door.ts';
import { answerJsonRpc } from '../../../functions/doors/a2a-sdk.ts';

const nothing = async (): Promise<never> => {
  throw new Error('the door is not reached');
};
const door: A2aDoor = { send: nothing, get: nothing, cancel: nothing };
const of = { name: 'a', description: 'd', version: '1', url: 'https://x.example/a2a/a' };
const request = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { id: 'x' } });

test.each([
  ['a body that is not JSON', '{bad', '1.0', -32_700, 'not JSON'],
  ['the same in version 0.3', '{bad', undefined, -32_700, 'not JSON'],
  ['no body', '', undefined, -32_700, 'not JSON'],
  ['JSON that is no object', '[]', '1.0', -32_600, ''],
  [
    'a method of 1.0 without the header of its version',
    request('GetTask'),
    undefined,
    -32_601,
    'A2A-Version: 1.0',
  ],
  ['a method of 0.3 with the header of 1.0', request('tasks/get'), '1.0', -32_601, 'without the header'],
  ['a method of neither version', request('nothing'), undefined, -32_601, 'Method not found: nothing'],
])(
  '%s is refused with the code of JSON-RPC, and with what to do',
  async (_what, body, version, code, says) => {
    expect(await answerJsonRpc(body, version, door, of)).toMatchObject({
      jsonrpc: '2.0',
      error: { code, message: expect.stringContaining(says) },
    });
  },
);
