import { describe, expect, test } from 'vitest';
import { callModel } from '../../support/model-call.ts';
import { message } from '../../support/model-events.ts';
import { hang, modelServer, reply } from '../../support/model-server.ts';

describe('the scripted model server fails a test', () => {
  test('that calls the model too often', async () => {
    const server = await modelServer(reply(message([])));
    await callModel(server.url);
    await callModel(server.url);
    await expect(server[Symbol.asyncDispose]()).rejects.toThrow('called 2 times, 1 expected');
  });

  test('that leaves steps of its script unused', async () => {
    const server = await modelServer(reply(message([])), hang());
    await callModel(server.url);
    await expect(server[Symbol.asyncDispose]()).rejects.toThrow('called 1 times, 2 expected');
  });
});
