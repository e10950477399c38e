/** T23 and T24: how dangerous a call is, and the decision that follows if no rule matches. */

import { describe, expect, test } from 'vitest';
import type { Effect } from '../../../shared/agent/config/effects.ts';
import { levels } from '../../../shared/agent/config/levels.ts';
import type { Mode } from '../../../shared/agent/config/policy.ts';
import { type Leveled, levelOf } from '../../../shared/agent/policy/levels.ts';
import { call, decide, policy } from './policy.fixture.ts';

describe('T24: modes', () => {
  test.each<[Mode, string]>([
    ['strict', 'allow allow forbid forbid'],
    ['interactive', 'allow ask ask ask'],
    ['auto_safe', 'allow allow ask ask'],
    ['yolo', 'allow allow allow allow'],
  ])('%s: of safe, moderate, dangerous and critical calls', (mode, expected) => {
    const decided = levels.map((level) => decide([policy([], mode)], call({ level }))?.decision ?? 'allow');
    expect(decided.join(' ')).toBe(expected);
  });

  test('T24: auto-safe: a write runs, `rm -rf` asks', () => {
    const auto = [policy([], 'auto_safe')];
    expect(decide(auto, call({ tool: 'write_file', level: 'moderate' }))).toBeUndefined();
    expect(decide(auto, call({ tool: 'bash', level: 'critical' }))).toEqual({
      decision: 'ask',
      rule: 'p (auto_safe, critical)',
    });
  });
});

describe('T23: levels', () => {
  test.each<[Effect, string]>([
    ['read', 'safe'],
    ['idempotent', 'moderate'],
    ['once', 'dangerous'],
  ])('a tool without declarations: %s is %s', (effect, level) => {
    expect(levelOf({ effect }, { value: {} })).toBe(level);
  });

  test.each<[string, Leveled['level'], string]>([
    ['declares it', 'critical', 'critical'],
    [
      'declares it by the input',
      ((input: { all: boolean }) => (input.all ? 'dangerous' : 'safe')) as Leveled['level'],
      'dangerous',
    ],
    [
      'throws',
      (() => {
        throw new Error('no');
      }) as Leveled['level'],
      'critical',
    ],
    ['declares an unknown one', (() => 'harmless') as unknown as Leveled['level'], 'critical'],
  ])('a tool that %s', (_what, level, expected) => {
    expect(levelOf({ effect: 'read', level }, { value: { all: true } })).toBe(expected);
  });

  test('a tool whose level depends on an unknown input is critical', () => {
    expect(levelOf({ effect: 'read', level: () => 'safe' }, undefined)).toBe('critical');
  });
});
