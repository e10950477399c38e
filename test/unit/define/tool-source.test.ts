import { expect, test } from 'vitest';
import { defineAgent, defineToolSource, type ToolSource } from '../../../shared/agent/define/index.ts';

const good: ToolSource = { name: 'shop', list: () => [], get: () => () => 'ok' };

test.each([
  [{ name: 'a__b' }, 'name'],
  [{ name: 'a b' }, 'name'],
  [{ name: 'x'.repeat(33) }, 'name'],
  [{ name: '' }, 'name'],
  [{ list: undefined }, 'list'],
  [{ get: 'x' }, 'get'],
  [{ secrets: ['lower'] }, 'secrets'],
  [{ optionl: true }, 'optionl'],
])('%j is not a tool source', (wrong, named) => {
  expect(() => defineToolSource({ ...good, ...wrong } as ToolSource)).toThrow(named);
});

test('an agent has each source once, and only valid ones', () => {
  const agent = (toolSources: ToolSource[]) =>
    defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's', toolSources });
  expect(() => agent([defineToolSource(good), defineToolSource(good)])).toThrow(
    'two tool sources are named shop',
  );
  expect(() => agent([{ name: 'x' } as ToolSource])).toThrow('use defineToolSource');
});
