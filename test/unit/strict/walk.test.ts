import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { importSession } from '../../../shared/agent/entrypoints/import.ts';
import { formats } from '../../../shared/agent/history/formats.ts';
import { toSlots } from '../../../shared/agent/history/to-slots.ts';
import { httpSession } from '../../support/http-session.ts';
import type { SessionWorld } from '../../support/session-world.ts';
import {
  chatDialects,
  converseDialects,
  generateDialects,
  responsesDialects,
} from '../../support/strict/rule.ts';
import { tool } from '../step/reading.fixture.ts';
import { answers, type WalkServers, walkServers } from './walk.fixture.ts';

/**
 * A random walk: whatever models answer, people do and servers fail, a strict server refuses no request, and a message is
 * answered
 * at the end. `WALKS=2000 npx vitest run --project unit test/unit/strict/walk.test.ts` walks as often as that.
 */

const WALKS = Number(process.env.WALKS ?? 60);

/** The events of the session between answers. */
const happenings = ['message', 'step', 'settle', 'cancel', 'message in a step'] as const;
type Happening = (typeof happenings)[number];

const imported = [
  { role: 'user', content: 'Where is order 7?' },
  {
    role: 'assistant',
    content: 'Looking.',
    tool_calls: [{ id: 'functions.find:0', type: 'function', function: { name: 'find', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'functions.find:0', content: 'In Oslo.' },
];

const walks = fc.record({
  script: fc.array(fc.constantFrom(...answers), { minLength: 2, maxLength: 12 }),
  happens: fc.array(fc.constantFrom(...happenings), { minLength: 1, maxLength: 6 }),
  dialect: fc.constantFrom(...chatDialects, ...responsesDialects, ...converseDialects, ...generateDialects),
  isImported: fc.boolean(),
  isSmall: fc.boolean(),
  isChatFirst: fc.boolean(),
});
type Walk = typeof walks extends fc.Arbitrary<infer W> ? W : never;

let servers: WalkServers;
beforeAll(async () => {
  servers = await walkServers();
});
afterAll(() => servers[Symbol.asyncDispose]());

function apiOf(dialect: Walk['dialect']) {
  switch (dialect) {
    case 'responses':
      return { provider: 'openai-responses', dialect: 'openai' } as const;
    case 'converse':
      return { provider: 'bedrock-converse' } as const;
    case 'generate':
      return { provider: 'gemini' } as const;
    default:
      return { provider: 'openai', dialect } as const;
  }
}

async function begin({ dialect, isSmall, isChatFirst }: Walk) {
  const second = { server: 'secondary', name: 'second' } as const;
  const chat = { ...second, ...apiOf(dialect) };
  const messages = { provider: 'anthropic', server: 'primary', name: 'first' } as const;
  const get = tool('get', ({ n }) => `result ${n}: ${'word '.repeat(isSmall ? 600 : 2)}`);
  return httpSession(
    {
      tools: [get],
      model: isChatFirst ? { ...chat, fallbacks: [messages] } : { ...messages, fallbacks: [chat] },
      limits: { outageSeconds: 0, maxRetries: 1, maxSteps: 20 },
      ...(isSmall && {
        guardrails: {
          context: { window: 6_000, reserve: 1_000, summary: { maxChars: 1_000, leastChars: 400 } },
        },
      }),
    },
    servers.urls,
  );
}

async function bring(world: SessionWorld): Promise<void> {
  const agent = world.agentOf('test');
  if (!agent) throw new Error('no agent');
  const slots = toSlots(formats.openai.read(imported).turns, {
    importId: 'walk',
    attachmentOf: () => undefined as never,
  });
  const asked = { agent, asked: 'walk', options: {}, called: {}, slots: async () => slots };
  await importSession(world.key, asked, async () => undefined, world);
}

async function happen(world: SessionWorld, what: Happening): Promise<void> {
  switch (what) {
    case 'message':
      await world.say('And B?');
      return;
    case 'step':
      await world.step();
      return;
    case 'settle':
      await world.settle();
      return;
    case 'cancel':
      await cancel(world.key, world);
      return;
    case 'message in a step': {
      const running = world.begin();
      await world.say('Also C.');
      await running?.finish();
      return;
    }
    default:
      what satisfies never;
  }
}

test(`in ${WALKS} random histories no request is refused`, async () => {
  await fc.assert(
    fc.asyncProperty(walks, async (walk) => {
      servers.begin(walk.script, walk.dialect);
      const world = await begin(walk);
      if (walk.isImported) await bring(world);
      await world.say('Begin.');
      for (const what of walk.happens) await happen(world, what);
      await world.settle();
      // After the end of the script, servers answer with text.
      for (let i = 0; i < walk.script.length; i++) {
        await world.say('Go on.');
        await world.settle();
        if ((await world.view()).session.state === 'completed') break;
      }
      expect(servers.refusals().map(({ rule, message }) => `${rule}: ${message}`)).toEqual([]);
      expect((await world.view()).session.state).toBe('completed');
    }),
    { numRuns: WALKS, seed: Number(process.env.SEED ?? 1) },
  );
}, 3_600_000);
