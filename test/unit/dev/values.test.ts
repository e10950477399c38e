import { expect, test } from 'vitest';
import { type Sources, valuesOf } from '../../../cli/dev/values.ts';
import type { DeploymentFacts } from '../../../shared/contract/facts.ts';

const facts = {
  settings: { SHOP_URL: { description: 'd' }, CURRENCY: { description: 'd', default: 'EUR' } },
  secrets: { SHOP_TOKEN: { description: 'd' }, ANTHROPIC_API_KEY: { description: 'd' } },
} as unknown as DeploymentFacts;

const values = (sources: Partial<Sources>) =>
  valuesOf(facts, { set: [], secret: [], environment: {}, file: {}, ...sources });

test('the command line beats the environment, and that beats .env; an empty value is unset', () => {
  const file = {
    SHOP_URL: 'file',
    CURRENCY: 'file',
    SHOP_TOKEN: 'file',
    ANTHROPIC_API_KEY: '',
    UNRELATED: 'x',
  };
  const environment = { SHOP_URL: 'environment', CURRENCY: 'environment', SHOP_TOKEN: '', HOME: '/root' };
  expect(values({ file, environment, set: ['SHOP_URL=a=b'] })).toEqual({
    settings: { SHOP_URL: 'a=b', CURRENCY: 'environment' },
    secrets: { SHOP_TOKEN: 'file' },
    notes: [],
  });
});

test.each([
  [{ set: ['CURENCY=x'] }, 'The definition declares no setting CURENCY. Did you mean CURRENCY?'],
  [
    { secret: ['ZZZZZZZZZZZ=x'] },
    'The definition declares no secret ZZZZZZZZZZZ. There are: SHOP_TOKEN, ANTHROPIC_API_KEY.',
  ],
  [{ set: ['SHOP_TOKEN=sk-hidden'] }, 'SHOP_TOKEN is a secret: set it with --secret.'],
  [{ secret: ['CURRENCY=x'] }, 'CURRENCY is a setting: set it with --set.'],
  [{ secret: ['sk-hidden'] }, '--secret takes NAME=VALUE.'],
  [{ secret: ['=sk-hidden'] }, '--secret takes NAME=VALUE.'],
])('%j is refused, and the error shows no value', (sources, message) => {
  expect(() => values(sources)).toThrow(message);
  try {
    values(sources);
  } catch (error) {
    expect(String(error)).not.toContain('sk-hidden');
  }
});

test('lines of .env are not refused; a likely typo gets a hint', () => {
  expect(values({ file: { AWS_PROFILE: 'x', ANTHROPIC_API_KY: 'sk-hidden' } }).notes).toEqual([
    '.env has ANTHROPIC_API_KY, which the definition does not declare. Is ANTHROPIC_API_KEY meant?',
  ]);
});
