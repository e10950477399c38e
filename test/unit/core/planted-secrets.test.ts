/** Secrets that servers, tools and services repeat when they speak of themselves: nothing that is told of them contains one. */

import { describe, expect, test } from 'vitest';
import { mapped } from '../../../functions/webhooks/enter.ts';
import { defineGuard, defineToolSource } from '../../../shared/agent/define/index.ts';
import { errorFacts, log } from '../../../shared/logger.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { failure, tool as listed, mcpDouble } from '../../support/mcp/double.ts';
import { play } from '../../support/mcp/play.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { writtenBy } from '../../support/written.ts';
import { tool } from '../step/reading.fixture.ts';

/** A value that no pattern recognises: only who has read it knows it. */
const KNOWN = 'correct horse battery';
/** One that looks like a secret wherever it stands. */
const FORM = 'sk-live-0123456789abcdef';
const words = `the service said: you sent ${KNOWN} with ${FORM}`;
const hidden = (text: string) => {
  expect(text).not.toContain(KNOWN);
  expect(text).not.toContain(FORM);
};

async function told(...[definition, model]: Parameters<typeof sessionWorld>) {
  const world = await sessionWorld(definition, model, { secrets: { KEY: KNOWN } });
  const logged = await writtenBy(async () => {
    await world.say('Go');
    await world.settle();
  });
  return JSON.stringify([await world.events(), await world.slots(), logged]);
}

describe('a tool', () => {
  const failing = (name: string, fail: () => never) =>
    tool(
      name,
      async (_input, { secret, progress }) => {
        await secret('KEY');
        progress(words, 1);
        return fail();
      },
      { secrets: ['KEY'] },
    );

  test.each<[string, () => never]>([
    [
      'throws an error',
      () => {
        throw new Error(words);
      },
    ],
    [
      'throws a text',
      () => {
        throw words;
      },
    ],
    [
      'throws an object',
      () => {
        throw { words };
      },
    ],
    [
      'throws an error with a cause',
      () => {
        throw new Error('it failed', { cause: new Error(words) });
      },
    ],
  ])('that %s', async (_what, fail) => {
    const all = await told(
      { tools: [failing('pay', fail)] },
      scriptedModel(calls(['pay', {}]), says('Done.')),
    );
    expect(all).toContain('pay');
    hidden(all);
  });
});

test('a tool source that cannot list', async () => {
  const source = defineToolSource({
    name: 'shop',
    secrets: ['KEY'],
    async list({ secret }) {
      await secret('KEY');
      throw Object.assign(new Error(words), { final: true });
    },
    get: () => () => 'ok',
  });
  const all = await told({ toolSources: [source] }, scriptedModel(says('Done.')));
  expect(all).toContain('the service said');
  hidden(all);
});

test.each([
  ['answers with an error of the protocol', () => failure(400, words)],
  ['answers with HTTP 500', () => new Response(words, { status: 500 })],
  [
    'answers with something else',
    () => new Response(`{${words}`, { headers: { 'content-type': 'application/json' } }),
  ],
])('an MCP server that %s', async (_what, answer) => {
  const server = mcpDouble({
    tools: [listed('look')],
    answers: ({ method }) => (method === 'tools/call' ? answer() : undefined),
  });
  const auth = { bearer: 'KEY' } as const;
  const { events, calls: made } = await play(
    server.internet,
    [[['look']]],
    { auth },
    { secrets: { KEY: FORM } },
  );
  expect(JSON.stringify(made)).toContain('MCP server srv');
  expect(JSON.stringify([events, made])).not.toContain(FORM);
});

test('a guard that throws', async () => {
  const broken = defineGuard({
    name: 'broken',
    hooks: {
      preflight: () => {
        throw new Error(`no access with ${FORM}`);
      },
    },
  } as never);
  hidden(await told({ guards: [broken] } as never, scriptedModel(says('Done.'))));
});

test('the mapping of a webhook that throws', () => {
  const map = () => {
    throw new Error(`no access with ${FORM}`);
  };
  const became = mapped({ map } as never, {} as never);
  expect(became).toMatchObject({ detail: 'The mapping threw: Error: no access with [redacted]' });
});

test('a service whose error is logged, and a fact of any line', async () => {
  const lines = await writtenBy(async () => {
    log('error', 'a route failed', errorFacts(new Error(`refused: Authorization: Bearer ${FORM}`)));
    log('warn', 'a callback was posted', { detail: `https://u:${FORM}@example.com/` });
  });
  expect(lines).toHaveLength(2);
  hidden(JSON.stringify(lines));
});
