import { describe, expect, test } from 'vitest';
import { carriedIn, requestsIn } from '../../../shared/agent/context/requests.ts';
import { newRun } from '../../../shared/agent/session/session.ts';
import type { InputTurn, ModelSlot, Slot, Stop } from '../../../shared/agent/session/slots.ts';
import { empty, from, ours, say } from './history.fixture.ts';

const goOn: InputTurn = { text: 'Go on.', internal: { reason: 'retry' } };

/** A step of a run: its input, and how its reply ended, if it came. */
const step = (n: number, runId: string, input: readonly InputTurn[], stop?: Stop): ModelSlot => ({
  kind: 'model',
  n,
  runId,
  step: 1,
  input,
  verdicts: [],
  ...(stop && {
    reply: {
      messageId: `m${n}`,
      model: 'm',
      stop,
      content:
        stop === 'tool_use' ? [{ type: 'tool_use', id: 'c', name: 'look', input: {} }] : [say('Well.')],
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      costUsd: 0,
    },
  }),
});

const cameOf = (slots: readonly Slot[], run: string, waiting: readonly InputTurn[] = []) =>
  requestsIn(slots, [], {
    ...empty({}),
    waiting,
    session: { version: 9, contextStart: 0, metadata: { guardrails: {} }, run: { ...newRun, id: run } },
  }).map(({ words, came }) => `${words} ${came}`);

describe('the outcome of a message', () => {
  test('is open while its run is going, and answered when the next run begins after the final answer', () => {
    const slots = [step(0, 'r0', [from('A')], 'end_turn'), step(1, 'r1', [from('B')], 'tool_use')];
    expect(cameOf(slots, 'r1')).toEqual(['A answered', 'B open']);
  });

  test('is not answered if its run ended before the final answer', () => {
    const slots = [step(0, 'r0', [from('A')], 'tool_use'), step(1, 'r1', [from('B')], 'tool_use')];
    expect(cameOf(slots, 'r1')).toEqual(['A unanswered', 'B open']);
    expect(cameOf([step(0, 'r0', [from('A')])], 'r1', [from('B')])).toEqual(['A unanswered']);
    expect(cameOf([step(0, 'r0', [from('A')], 'refusal')], 'r1', [from('B')])).toEqual(['A unanswered']);
  });

  test('is open again when its run is retried', () => {
    const failed = step(0, 'r0', [from('A')]);
    expect(cameOf([failed], 'r1', [goOn])).toEqual(['A open']);
    expect(cameOf([failed, step(1, 'r1', [goOn], 'tool_use')], 'r1')).toEqual(['A open']);
  });

  test('within one run only the last answer before the next message counts', () => {
    const slots = [step(0, 'r0', [from('A')], 'end_turn'), step(1, 'r0', [from('B')], 'tool_use')];
    expect(cameOf(slots, 'r0')).toEqual(['A answered', 'B open']);
    const nudged = [step(0, 'r0', [from('A')], 'end_turn'), step(1, 'r0', [ours('Prove it.')], 'tool_use')];
    expect(cameOf(nudged, 'r0')).toEqual(['A open']);
    const failed = [step(0, 'r0', [from('A')], 'end_turn'), step(1, 'r0', [from('B')])];
    expect(cameOf(failed, 'r0', [from('C')])).toEqual(['A answered', 'B open']);
    const added = [step(0, 'r0', [from('A')], 'tool_use'), step(1, 'r0', [from('B')], 'tool_use')];
    expect(cameOf(added, 'r0')).toEqual(['A open', 'B open']);
  });
});

describe('a head that was stored before outcomes of messages existed', () => {
  const head: InputTurn[] = [
    {
      text: '[steploop] The first message of this conversation, word for word:\nDeploy\nnow',
      internal: { reason: 'fold_task' },
    },
    {
      text: '[steploop] A later message of the user that is left out below, word for word:\nCount',
      internal: { reason: 'fold_said' },
    },
  ];

  test('is read: its last message is open if the context continues the work on it', () => {
    expect(carriedIn(head, [step(4, 'r1', [], 'tool_use')])).toEqual([
      { words: 'Deploy\nnow', came: 'answered', run: 'r1', first: true },
      { words: 'Count', came: 'open', run: 'r1' },
    ]);
  });

  test('is read: all of it is answered if the context continues with another message', () => {
    expect(carriedIn(head, [step(4, 'r1', [from('B')], 'tool_use')]).map(({ came }) => came)).toEqual([
      'answered',
      'answered',
    ]);
  });
});
