import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PresetName, presets } from '../../../shared/agent/config/presets.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import {
  failAfter,
  failBefore,
  freezeAfter,
  killAfter,
  killBefore,
  type Operation,
} from '../../../testing/faults.ts';
import { calls, says, saysAndCalls, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { tool } from '../step/reading.fixture.ts';

const lines = ['read', 'same', 'edit', 'shell', 'poll', 'batch', 'cut', 'unknown'] as const;
type Line = (typeof lines)[number];

/** The same reply to every repetition of a request: a real one would differ, and its first would have been kept. */
function replyTo(line: Line, i: number): ModelOutcome {
  switch (line) {
    case 'read':
      return calls(['read_file', { path: `f${i % 3}` }]);
    case 'same':
      return calls(['read_file', { path: 'same' }]);
    case 'edit':
      return calls(['edit_file', { path: `f${i % 3}` }]);
    case 'shell':
      return calls(['bash', { command: i % 2 ? 'npm test' : 'make' }]);
    case 'poll':
      return calls(['job_status', {}]);
    case 'batch':
      return saysAndCalls(
        'look',
        ['read_file', { path: 'same' }],
        ['bash', { command: 'make' }],
        ['read_file', { path: 'g' }],
      );
    case 'cut':
      return says('cut', { stop: 'max_tokens' });
    case 'unknown':
      return calls(['nope', { i }]);
    default:
      return line satisfies never;
  }
}

async function world(preset: PresetName, script: readonly Line[]): Promise<SessionWorld> {
  const tools = [
    tool('read_file', ({ path }) => `text of ${path}`),
    tool('edit_file', () => 'ok', { effect: 'idempotent' }),
    tool('bash', () => ({ exitCode: 1 }), { effect: 'idempotent' }),
    tool('job_status', () => 'pending'),
  ];
  // Keyed by the replies so far, so that a repeated request gets the same reply.
  const model = scriptedModel();
  model.answer(
    ...Array.from(
      { length: 200 },
      () =>
        ({ request }: { request: { messages: readonly { role: string }[] } }) => {
          const said = request.messages.filter(({ role }) => role === 'assistant').length;
          const line = script[said];
          return line ? replyTo(line, said) : says('The parser is in a.ts.');
        },
    ),
  );
  const limits = { maxAttempts: 100, maxSteps: 60 };
  const made = await sessionWorld({ guardrails: preset, tools, limits }, model, {
    // A run has a time limit, and a worker that is killed at once retries after the queue's delay: not after many of its 330 s.
    queue: { visibilityMs: 62_000, maxReceiveCount: 1_000 },
  });
  await made.say('go', 'e0');
  return made;
}

/** The counters and verdicts of guards, without values that depend on the number of attempts. */
async function countedIn(made: SessionWorld) {
  const { session } = await made.view();
  const { guardrails: guards } = session.metadata;
  const slots = await made.slots();
  return {
    guards,
    state: session.state,
    reason: session.reason,
    verdicts: slots.map((slot) => slot.verdicts.map(({ guard, kind, code }) => [guard, kind, code])),
    told: slots.flatMap((slot) => (slot.kind === 'model' ? slot.input.map(({ text }) => text) : [])),
  };
}

const kinds = { killBefore, killAfter, failBefore, failAfter, freezeAfter };
const operations: Operation[] = [
  'sessions.claim',
  'sessions.putSlot',
  'sessions.commit',
  'provider.complete',
  'queue.send',
];
const faults = fc.array(
  fc.record({
    operation: fc.constantFrom(...operations),
    kind: fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])),
    nth: fc.integer({ min: 1, max: 12 }),
  }),
  { maxLength: 4 },
);
const scripts = fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 14 });
const presetNames = Object.keys(presets) as PresetName[];

describe('counters and redelivery', () => {
  test.each(presetNames)(
    'A17: %s: whatever is lost or repeated, counters, verdicts and texts are those of an undisturbed run',
    async (preset) => {
      await fc.assert(
        fc.asyncProperty(
          scripts,
          faults,
          fc.array(fc.boolean(), { maxLength: 6 }),
          async (script, planned, again) => {
            const undisturbed = await world(preset, script);
            await undisturbed.settle(500);
            const disturbed = await world(preset, script);
            for (const { operation, kind, nth } of planned) {
              // A provider never rejects (its port says so): there, a failure is a kill.
              const rejects = operation === 'provider.complete' && kind.startsWith('fail');
              disturbed.faults.at(operation, rejects ? killAfter : kinds[kind], nth);
            }
            for (const twice of again) {
              if (twice) await disturbed.queue.send(disturbed.key);
              await disturbed.step();
            }
            await disturbed.settle(500);
            expect(await countedIn(disturbed)).toEqual(await countedIn(undisturbed));
          },
        ),
        { numRuns: 25 },
      );
    },
    60_000,
  );
});
