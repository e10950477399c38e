import { expect, test } from 'vitest';
import { withStored } from '../../../shared/agent/config/resolve.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { pin } from '../../../shared/agent/define/pin.ts';

const agent = defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's' });
const pinned = pin(agent, undefined);

test('A17: a definition that was stored before a key existed gets its default, and keeps its other values', () => {
  const old = {
    ...pinned,
    guardrails: { maxRepeatedToolSteps: 7, loop: { stepRepeat: { limit: 9 } } },
    limits: { maxSteps: 4 },
  } as unknown as typeof pinned;
  const { guardrails, limits } = withStored(old);
  expect(guardrails.loop.stepRepeat).toEqual({ ...agent.guardrails.loop.stepRepeat, limit: 9 });
  expect(guardrails).toMatchObject({
    truncation: agent.guardrails.truncation,
    reads: agent.guardrails.reads,
  });
  expect(limits).toEqual({ ...agent.limits, maxSteps: 4, maxFailuresInARow: 0, batchWindowShare: 0 });
});

test('A21: a stored definition without approval of critical patterns asks for none', () => {
  const { window, ...loop } = pinned.guardrails.loop;
  const { approval: _approval, ...rest } = window;
  const old = { ...pinned, guardrails: { ...pinned.guardrails, loop: { ...loop, window: rest } } };
  expect(withStored(old as unknown as typeof pinned).guardrails.loop.window).toEqual({
    ...window,
    approval: 'never',
  });
});

test('A21: a complete stored definition is used as it is', () => {
  expect(withStored(pinned)).toEqual(pinned);
});
