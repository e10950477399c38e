import { expect, test } from 'vitest';
import type { Client } from '../../../web/client/connect.ts';
import { ProblemError } from '../../../web/client/problem.ts';
import { actionsOf } from '../../../web/react/actions.ts';
import { Deployment } from '../../../web/react/deployment.ts';

/** A session that accepts messages as the outcomes say, then all of them. */
function world(...outcomes: ('lost' | 'refused')[]) {
  const keys: (string | undefined)[] = [];
  const decided: unknown[] = [];
  const client = {
    addMessage: async (...[sessionId, , options]: Parameters<Client['addMessage']>) => {
      keys.push(options?.idempotencyKey);
      const outcome = outcomes.shift();
      if (outcome === 'lost') throw new TypeError('fetch failed');
      if (outcome === 'refused') throw new ProblemError({ type: 'about:blank', title: 'No', status: 400 });
      return { sessionId, eventId: 'e1', duplicate: false };
    },
    decide: async (...args: Parameters<Client['decide']>) => {
      decided.push(args);
    },
  };
  const deployment = new Deployment(client as unknown as Client);
  return { actions: actionsOf(deployment, 's1'), deployment, keys, decided };
}

test('a message that is resent after its answer was lost is the same message', async () => {
  const { actions, keys } = world('lost');
  await expect(actions.send('hello')).rejects.toThrow('fetch failed');
  await actions.send('hello');
  await actions.send('hello');
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
  // This one was meant to be sent twice.
  expect(keys[2]).not.toBe(keys[0]);
});

test('a different message after a lost one is another message, and so is one after a refusal', async () => {
  const { actions, keys } = world('lost', 'refused');
  await expect(actions.send('hello')).rejects.toThrow();
  await expect(actions.send('goodbye')).rejects.toThrow();
  await actions.send('goodbye');
  expect(new Set(keys).size).toBe(3);
});

test('a given key is used', async () => {
  const { actions, keys } = world();
  await actions.send('hello', { idempotencyKey: 'mine' });
  expect(keys).toEqual(['mine']);
});

test('an answer is a decision with a note', async () => {
  const { actions, decided } = world();
  await actions.answer('w1', 'blue');
  expect(decided).toEqual([['s1', { id: 'w1', approved: true, note: 'blue' }]]);
});

test('without a session every action rejects', async () => {
  const { deployment } = world();
  const none = actionsOf(deployment, undefined);
  for (const act of [() => none.send('x'), () => none.stop(), () => none.details('w1')])
    await expect(act()).rejects.toThrow('no session yet');
});
