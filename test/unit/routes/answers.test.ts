import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Refusal } from '../../../functions/middleware/problem.ts';
import { postAnswer } from '../../../functions/routes/answers.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import type { ToolContext } from '../../../shared/agent/tools/tool.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';

describe('POST /callbacks/{token}', () => {
  let world: SessionWorld;
  let token = '';

  beforeEach(async () => {
    const waits = defineTool({
      name: 'waits',
      description: 'Waits.',
      effect: 'idempotent',
      input: z.object({}),
      run: async (_input, context: ToolContext) => {
        const later = await context.later({ expiresAfterSeconds: 3_600 });
        token = later.token;
        return later;
      },
    });
    world = await sessionWorld({ tools: [waits] }, scriptedModel(calls(['waits', {}]), says('Done.')));
    await world.say('Wait.');
    await world.settle();
  });

  const post = async (body: string, to: string | undefined = token, encoded = false) => {
    const event = {
      body: encoded ? Buffer.from(body).toString('base64') : body,
      isBase64Encoded: encoded,
      pathParameters: to === undefined ? undefined : { token: to },
      headers: {},
    } as unknown as APIGatewayProxyEventV2;
    try {
      const { statusCode, body: answered } = await postAnswer(event, world);
      return [statusCode, JSON.parse(answered ?? '')];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return [error.problem.status, error.problem];
    }
  };
  const done = JSON.stringify({ result: { rows: 1 } });

  test('accepts the answer, confirms the same answer again, and refuses a different one with a sentence', async () => {
    expect(await post(done, token, true)).toEqual([202, { result: 'taken' }]);
    expect(await post('{ "result": { "rows": 1 } }')).toEqual([200, { result: 'taken_before' }]);
    expect(await post('{ "result": 2 }')).toMatchObject([
      410,
      { detail: expect.stringMatching(/different answer/) },
    ]);
  });

  test('an invalid token and an unknown token get the same response, byte for byte', async () => {
    const unknown = await post(done, `slt_${'a'.repeat(52)}`);
    expect(unknown).toMatchObject([404, { title: 'No such callback' }]);
    for (const one of ['x', '%00', '../../sessions', 'a'.repeat(10_000), '💥', '__proto__', `${token} `, ''])
      expect(await post(done, one)).toEqual(unknown);
    expect(JSON.stringify(unknown)).not.toContain('slt_');
  });

  test('is 410 gone after the token has expired, and after the run was cancelled', async () => {
    await world.clock.advance(3_600_000);
    await world.settle();
    expect(await post(done)).toMatchObject([
      410,
      { detail: expect.stringMatching(/time for an answer is over/) },
    ]);
  });

  test('is 410 gone after the run was cancelled', async () => {
    await cancel(world.key, world);
    await world.settle();
    expect(await post(done)).toMatchObject([410, { detail: expect.stringMatching(/run was stopped/) }]);
  });

  test.each([
    ['nothing', ''],
    ['no JSON', 'rows=1'],
    ['half of an answer', '{"result":'],
    ['a text', '"done"'],
    ['null', 'null'],
    ['a list', '[]'],
    ['neither', '{}'],
    ['both', '{"result":1,"error":"no"}'],
    ['more', '{"result":1,"token":"x"}'],
    ['an invalid error', '{"error":{"code":1}}'],
    ['an empty error', '{"error":" "}'],
    ['a value that is nested too deep', `{"result":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ])('%s is refused, and does not use up the token', async (_what, body) => {
    expect(await post(body)).toMatchObject([
      400,
      { title: expect.stringMatching(/Malformed JSON|Invalid body/) },
    ]);
    expect(await post(done)).toMatchObject([202, {}]);
  });

  test('takes 256 KB and no more', async () => {
    const fitting = JSON.stringify({ result: 'x'.repeat(256 * 1024 - 13) });
    expect(await post(`${fitting} `)).toMatchObject([413, { title: 'Body too large' }]);
    expect(await post(fitting)).toMatchObject([202, {}]);
    await world.settle();
    expect((await world.view()).session.state).toBe('completed');
  });

  test('accepts any valid JSON, also a lone surrogate', async () => {
    expect(await post('{"result":"\\ud800 __proto__ \\u0000"}')).toMatchObject([202, {}]);
    await world.settle();
    expect((await world.view()).session.state).toBe('completed');
  });
});
