import { expect, test } from 'vitest';
import type { SnapshotMessage } from '../../shared/contract/events.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { narrowModel } from '../support/narrow-model.ts';

/** The window of the agent `forgetful`, in tokens. */
const WINDOW = 12_000;
const STEPS = 240;

test('a run outgrows the window of its model many times: no request is refused for it, and people read the whole conversation', async () => {
  await using model = await narrowModel(WINDOW);
  await using world = await embedded({ model });
  const work = model.begin(STEPS);
  const { body } = await world.api('POST', '/sessions', {
    agent: 'forgetful',
    message: 'Look at all pages.',
  });
  const session = await world.atRest(body.sessionId, 240);

  expect(session).toMatchObject({ state: 'completed', run: { steps: STEPS, toolCalls: STEPS - 1 } });
  expect(work.refused).toEqual([]);
  expect(work.asked).toHaveLength(STEPS);
  const longest = Math.max(...work.asked.map(({ chars }) => chars)) / 4;
  expect(longest).toBeGreaterThan(WINDOW / 2);
  expect(longest).toBeLessThan(WINDOW);

  const messages = await all(world, body.sessionId);
  const folds = messages.flatMap((message) => (message.role === 'activity' ? [message.content] : []));
  expect(folds.length).toBeGreaterThanOrEqual(5);
  for (const { tokens } of folds) expect(tokens.after).toBeLessThan(tokens.before);
  expect(messages.filter(({ role }) => role === 'user')).toMatchObject([{ content: 'Look at all pages.' }]);
  const looks = messages.filter(({ role }) => role === 'tool');
  expect(looks.map(({ content }) => Number.parseInt(String(content), 10))).toEqual(
    Array.from({ length: STEPS - 1 }, (_, at) => at + 1),
  );
  console.log(`${folds.length} folds, ${work.summaries.length} summaries in ${STEPS} steps`);
});

/** The whole conversation as people read it, page by page. */
async function all(world: Embedded, id: string): Promise<SnapshotMessage[]> {
  const messages: SnapshotMessage[] = [];
  for (let from: string | undefined = '0'; from !== undefined; ) {
    const { body } = await world.api('GET', `/sessions/${id}/messages?from=${from}`);
    messages.push(...body.messages);
    from = body.next;
  }
  return messages;
}
