import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toMessages } from '../../../shared/agent/context/messages.ts';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { toSnapshot } from '../../../shared/agent/events/snapshot.ts';
import type { Clock } from '../../../shared/agent/ports/ports.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import type { Running } from '../../../testing/agent-world.ts';
import {
  failAfter,
  failBefore,
  freezeAfter,
  freezeBefore,
  killAfter,
  killBefore,
  type Operation,
} from '../../../testing/faults.ts';
import {
  calls,
  changed,
  fails,
  type ScriptedRequest,
  says,
  saysAndCalls,
  scriptedModel,
  stops,
} from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { clientView, verifyOrder } from './client-view.fixture.ts';
import { endings, notedTool, tool } from './reading.fixture.ts';

/** A script is data, so that a failing one can be read. Replies that do not end in text continue with the next. */
const lines = [
  'text',
  'cut',
  'cut calls',
  'read',
  'mixed',
  'unknown tool',
  'bad tool',
  'once',
  'fail',
  'fail late',
  'slow',
] as const;
type Line = (typeof lines)[number];

/** An event between two steps. */
type Happening = 'message' | 'same message' | 'replay' | 'duplicate wake' | 'cancel' | 'zombies wake';
const harmless: Happening[] = ['message', 'same message', 'replay', 'duplicate wake'];

let n = 0;
async function reply(line: Line, stream: (text: string) => void, clock: Clock): Promise<ModelOutcome> {
  n += 1;
  switch (line) {
    case 'text':
      return says(`answer ${n}`);
    case 'cut':
      return stops('max_tokens', `cut ${n}`);
    case 'cut calls':
      return changed(saysAndCalls(`cut ${n}`, ['get', { n }]), { stop: 'max_tokens' });
    case 'read':
      return calls(['get', { n }], ['get', { n: -n }]);
    case 'mixed':
      return saysAndCalls(`look ${n}`, ['get', { n }], ['add', { n }], ['get', {}]);
    case 'unknown tool':
      return calls(['nope', { n }]);
    case 'bad tool':
      return calls(['bad', { n }]);
    case 'once':
      return saysAndCalls(`once ${n}`, ['once', { n }], ['get', { n }]);
    case 'fail':
      return fails();
    case 'fail late':
      stream(`half ${n}`);
      return fails({ code: 'connection' });
    case 'slow':
      stream('Well, ');
      await clock.sleep(1_500);
      stream('yes.');
      return says('Well, yes.');
    default:
      return line satisfies never;
  }
}

async function play(script: Line[], happenings: Happening[], plan: (world: SessionWorld) => void) {
  const once = notedTool('once', 'once');
  const model = scriptedModel();
  const definition = {
    tools: [
      tool('get'),
      tool('add', () => ({ added: true }), { effect: 'idempotent' }),
      tool('bad', () => Promise.reject(new Error('bad'))),
      once.tool,
    ],
    limits: { maxRetries: 4, maxAttempts: 20 },
  };
  const world = await sessionWorld(definition, model, { queue: { maxReceiveCount: 1_000 } });
  model.answer(
    ...script.map(
      (line) =>
        ({ stream }: ScriptedRequest) =>
          reply(line, stream, world.clock),
    ),
  );
  for (let i = 0; i < 40; i++) model.answer(() => says(`answer ${++n}`));
  await world.say('first', 'e0');
  plan(world);
  const stopped: Running[] = [];
  const step = async () => {
    const running = world.begin();
    if ((await running?.finish()) === 'stopped' && running) stopped.push(running);
    return running;
  };
  const rest = async () => {
    for (let turns = 0; turns < 500; turns++) {
      if (await step()) continue;
      const next = world.queue.nextVisibleAt();
      if (next === undefined) return;
      await world.clock.advance(next - world.clock.now());
    }
    throw new Error('the session does not come to rest');
  };

  for (const [i, what] of happenings.entries()) {
    await step();
    if (what === 'message') await world.say(`more ${i}`, `m${i}`);
    if (what === 'same message') await world.say('first', 'e0');
    if (what === 'replay') await world.say('more 0', 'm0');
    if (what === 'duplicate wake') await world.queue.send(world.key);
    if (what === 'cancel') await cancel(world.key, world);
    if (what === 'zombies wake') for (const { host } of stopped) host.thaw();
  }
  await rest();
  for (const { host } of stopped) host.thaw();
  for (const zombie of stopped) await zombie.finish();
  await rest();
  return { world, once };
}

/** Everything that must hold for an idle session, whatever happened to it. */
async function holds(world: SessionWorld): Promise<void> {
  const events = await world.events();
  await verifyOrder(events);
  expect(clientView(events)).toEqual(toSnapshot(await world.slots()));
  const runs = new Set((await world.slots()).map(({ runId }) => runId));
  expect(endings(events)).toHaveLength(runs.size);
  const view = await world.view();
  expect(view.fence.inbox).toEqual([]);
  expect(view.dueAt).toBeUndefined();
  for (const request of world.model.requests) answered(request);
  const transcript = toMessages(await world.slots(), []);
  for (const request of world.model.requests) isOf(transcript, request);
}

/** Each tool_use has exactly one result in the next user message, results first; roles alternate. */
function answered({ messages }: ModelRequest): void {
  for (const [i, { role, content }] of messages.entries()) {
    expect(content.length).toBeGreaterThan(0);
    expect(role).toBe(i % 2 === 0 ? 'user' : 'assistant');
    const asked = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    const next = messages[i + 1]?.content ?? [];
    if (role === 'assistant')
      expect(next.slice(0, asked.length).map((block) => block.tool_use_id)).toEqual(asked);
    const results = content.filter(({ type }) => type === 'tool_result').length;
    const before = messages[i - 1]?.content.filter(({ type }) => type === 'tool_use').length ?? 0;
    expect(results).toBe(before);
  }
}

const blocksOf = (messages: ModelRequest['messages']) =>
  messages.flatMap(({ role, content }) => content.map((block) => JSON.stringify({ role, block })));

/** A request repeats the one before it, block by block, and adds to its end. */
function extendsIt(before: ModelRequest | undefined, request: ModelRequest): void {
  if (!before) return;
  const { messages: old, ...fixed } = before;
  const { messages, ...same } = request;
  expect(JSON.stringify(same)).toBe(JSON.stringify(fixed));
  expect(blocksOf(messages).slice(0, blocksOf(old).length)).toEqual(blocksOf(old));
}

/** All of a request that the model has answered is committed history, byte for byte; its last turn may have died. */
function isOf(transcript: ModelRequest['messages'], { messages }: ModelRequest): void {
  const history = blocksOf(messages.slice(0, -1));
  expect(history).toEqual(blocksOf(transcript).slice(0, history.length));
}

const scripts = fc.array(fc.constantFrom(...lines), { maxLength: 8 });
const happenings = (...kinds: Happening[]) => fc.array(fc.constantFrom(...kinds), { maxLength: 6 });

test('any script: events are in order, clients see the committed state, and every call has its result', async () => {
  await fc.assert(
    fc.asyncProperty(scripts, happenings(...harmless, 'cancel'), async (script, happening) => {
      const { world } = await play(script, happening, () => {});
      await holds(world);
      for (const [i, request] of world.model.requests.entries())
        extendsIt(world.model.requests[i - 1], request);
    }),
    { numRuns: 100 },
  );
}, 30_000);

const operations: Operation[] = [
  'sessions.claim',
  'sessions.slots',
  'sessions.putSlot',
  'sessions.fence',
  'sessions.putResult',
  'sessions.commit',
  'inbox.read',
  'inbox.markDone',
  'log.append',
  'log.read',
  'queue.send',
  'provider.complete',
];
const kinds = { killBefore, killAfter, failBefore, failAfter, freezeBefore, freezeAfter };
const faultsAt = fc.array(
  fc.record({
    operation: fc.constantFrom(...operations),
    kind: fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])),
    nth: fc.integer({ min: 1, max: 6 }),
  }),
  { minLength: 1, maxLength: 3 },
);

test('any script with crashes and zombies: the same, and no unsafe call starts twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      scripts,
      happenings(...harmless, 'cancel', 'zombies wake'),
      faultsAt,
      async (script, happening, planned) => {
        const { world, once } = await play(script, happening, ({ faults }) => {
          for (const { operation, kind, nth } of planned) {
            // A provider never rejects (its port says so): there, a failure is a kill.
            const rejects = operation === 'provider.complete' && kind.startsWith('fail');
            const fault = rejects ? killAfter : kinds[kind];
            faults.at(operation, fault, nth);
          }
        });
        expect(new Set(once.keys).size).toBe(once.keys.length);
        await holds(world);
      },
    ),
    { numRuns: 100 },
  );
}, 30_000);
