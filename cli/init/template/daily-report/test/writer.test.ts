import { calls, rehearse, says } from 'steploop/testing';
import { expect, test } from 'vitest';
import { analyst } from '../agents/analyst.ts';
import { writer } from '../agents/writer.ts';

test('the writer asks for both analyses at once, and writes the report', async () => {
  const run = await rehearse(writer, {
    user: 'Write the report of yesterday.',
    model: [
      calls(['analyse', { task: 'Analyse the sales.' }], ['analyse', { task: 'Analyse the support.' }]),
      says('Sales are up, and support needs a look.'),
    ],
    // Answers in the analyst's place.
    tools: { analyse: ({ task }) => `${task} 184, up 8 %.` },
  });
  expect(run.calls.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(['analyse ok', 'analyse ok']);
  expect(run.answer).toContain('support');
});

test('the writer and its analysts work together', async () => {
  const run = await rehearse(writer, {
    user: 'Write the report of yesterday.',
    // One function plays both agents: the system prompt says which of them asks.
    model: ({ request: { system, messages } }) => {
      const hasRead = messages.length > 1;
      if (system === analyst.system)
        return hasRead ? says('184 orders, up 8 %.') : calls(['read_figures', { area: 'sales' }]);
      return hasRead ? says('Sales: 184 orders.') : calls(['analyse', { task: 'Analyse the sales.' }]);
    },
  });
  expect(run.calls).toMatchObject([{ name: 'analyse', outcome: 'ok' }]);
  expect(run.answer).toBe('Sales: 184 orders.');
});
