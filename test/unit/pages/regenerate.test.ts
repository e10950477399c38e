import { expect, test } from 'vitest';
import { says, scriptedModel } from '../../../testing/scripted-model.ts';
import { pageWorld } from './page-world.fixture.ts';

const said = (id: string, text: string, more: object = {}) => ({
  ...{ id: 's1', messages: [{ id, role: 'user', parts: [{ type: 'text', text }] }] },
  ...more,
});
const again = { trigger: 'regenerate-message', messageId: 'answer' };

test('a regenerate of a given answer gives it back, with an error that says what to do', async () => {
  const model = scriptedModel();
  const it = await pageWorld({}, model);
  model.answer(says('Forty-two.'));
  await it.chat('POST', '/chat', said('m1', 'How many?'));
  const parts = await it.chat('POST', '/chat', said('m1', 'How many?', again));
  expect(parts.map(({ type }) => type)).toEqual([
    ...['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'error'],
  ]);
  expect(parts.find(({ type }) => type === 'text-delta')).toMatchObject({ delta: 'Forty-two.' });
  expect(parts.at(-1)?.errorText).toMatch(/^A given answer cannot be regenerated, so it stands\. Send a new/);
  expect(model.requests).toHaveLength(1);
});

test('a regenerate of an earlier answer gives back all that the page has dropped', async () => {
  const model = scriptedModel();
  const it = await pageWorld({}, model);
  model.answer(says('First.'));
  await it.chat('POST', '/chat', said('m1', 'One'));
  model.answer(says('Second.'));
  await it.chat('POST', '/chat', said('m2', 'Two'));
  const parts = await it.chat('POST', '/chat', said('m1', 'One', again));
  expect(parts.flatMap(({ delta }) => delta ?? [])).toEqual(['First.', 'Second.']);
  expect(parts.at(-1)?.type).toBe('error');
});
