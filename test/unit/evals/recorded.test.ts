import { rehearse, says, saysAndCalls } from 'steploop/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { recordedOf, type Seen } from '../../../cli/eval/recorded.ts';
import { sourceOf } from '../../../cli/eval/source.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import type { FeedbackInfo, Rating, SessionInfo, StepInfo } from '../../../web/client/index.ts';

const tool = (name: string, effect: 'read' | 'once') =>
  defineTool({
    name,
    description: name,
    effect,
    input: z.object({ id: z.string(), most: z.int().default(5) }),
    run: ({ id }) => {
      if (id === '9') throw new Error('There is no 9.');
      return { id, state: 'sent' };
    },
  });
const agent = defineAgent({
  ...{ name: 'support', version: '1', model: { name: 'm' }, system: 'You help.' },
  tools: [tool('find', 'read'), tool('refund', 'once'), askUser],
});

/** A session as its API returns it. */
async function seen(): Promise<Seen> {
  const played = await rehearse(agent, {
    user: ['Refund 7 and `9` */', 'Thank you'],
    model: [
      saysAndCalls('I will look.', ['find', { id: '7' }], ['find', { id: '9' }]),
      saysAndCalls('', ['refund', { id: '7' }], ['ask_user', { question: 'Why?' }]),
      says('Done, because "it" was late.'),
      says('You are welcome.'),
    ],
    decides: ({ kind }) => (kind === 'question' ? 'It was late.' : true),
  });
  const calls = played.calls.map(({ id, name, outcome }) => ({
    ...{ id, name, outcome },
    ...(name === 'refund' && { decidedBy: 'user:ada' }),
  }));
  return {
    session: {
      sessionId: 's1 */ x',
      agent: 'support',
      state: played.state,
      reason: played.reason,
      run: undefined,
    },
    feedback: [],
    messages: played.transcript,
    steps: [{ calls } as unknown as StepInfo],
  };
}
const asRead = ({ input }: { input: unknown }) => ({ most: 5, ...(input as object) });

test("a case has the user messages, the model's answers, the tools' results and the decisions", async () => {
  const recorded = recordedOf(await seen(), asRead);
  expect(recorded).toMatchObject({
    user: ['Refund 7 and `9` */', 'Thank you'],
    script: [
      { text: 'I will look.', calls: [{ name: 'find', input: { id: '7' } }, { input: { id: '9' } }] },
      { text: '', calls: [{ name: 'refund' }, { name: 'ask_user' }] },
      { text: 'Done, because "it" was late.', calls: [] },
      { text: 'You are welcome.', calls: [] },
    ],
    decisions: { refund: true, ask_user: 'It was late.' },
    answer: 'You are welcome.',
  });
  expect(recorded.results.slice(0, 3)).toEqual([
    { name: 'find', input: { id: '7', most: 5 }, result: '{"id":"7","state":"sent"}' },
    { name: 'find', input: { id: '9', most: 5 }, error: 'There is no 9.' },
    { name: 'refund', input: { id: '7', most: 5 }, result: '{"id":"7","state":"sent"}' },
  ]);
  expect(recorded.trajectory.map(({ name }) => name)).toEqual(['find', 'refund', 'ask_user']);
  expect(recorded.ending).toBeUndefined();
});

test('an answer that a person has rated as bad is what the next one must be better than', async () => {
  const known = await seen();
  const rated = (runId: string, rating: Rating) => ({
    runId,
    rating,
    by: 'slack:T1:U1',
    at: '2026-11-27T10:00:00.000Z',
  });
  const session = { ...known.session, run: { id: 's1-8' } as SessionInfo['run'] };
  const sourceFor = (...feedback: FeedbackInfo[]) =>
    sourceOf(recordedOf({ ...known, session, feedback }, asRead), 'refund');
  const bad = sourceFor(rated('s1-8', 'good'), rated('s1-8', 'bad'));
  expect(bad).toContain('A person has rated this answer as bad. Is the new one better');
  expect(bad).toContain('The recorded answer was rated as bad. Write what should have happened');
  expect(bad).not.toContain('trajectory(');
  expect(sourceFor(rated('s1-8', 'good'))).toContain('Does the answer tell people the same');
  expect(sourceFor(rated('s1-0', 'bad'))).toContain('trajectory(');
});

test('recorded text cannot escape its literal in the source', async () => {
  const text = sourceOf(recordedOf(await seen(), asRead), 'refund');
  expect(text).toContain('user: ["Refund 7 and `9` */", "Thank you"],');
  expect(text).toContain('/** Recorded from the session s1  x. */');
  expect(text).toContain('says("Done, because \\"it\\" was late.")');
  expect(text).toContain('["find", { id: "7" }]');
});

test('a message during a run is joined with the one before it, and a run that failed is expected to fail', async () => {
  const { session } = await seen();
  const toolCalls = [
    { id: 'c1', type: 'function' as const, function: { name: 'find', arguments: '{"id":"1"}' } },
  ];
  const recorded = recordedOf(
    {
      session: { ...session, state: 'max_steps', reason: 'max_steps' },
      messages: [
        { id: '1', role: 'user', content: 'Find 1' },
        { id: '2', role: 'assistant', toolCalls },
        { id: '3', role: 'tool', toolCallId: 'c1', content: '1' },
        { id: '4', role: 'user', content: 'Quick!' },
        { id: '5', role: 'assistant', content: 'Here.' },
        { id: '6', role: 'user', content: 'More' },
      ],
      steps: [],
      feedback: [],
    },
    asRead,
  );
  expect(recorded.user).toEqual(['Find 1\n\nQuick!', 'More']);
  expect(sourceOf(recorded, 'x')).toContain('ends("max_steps", "max_steps")');
});
