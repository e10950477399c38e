/** T22: rules of policies by tool, argument and path. */

import { describe, expect, test } from 'vitest';
import type { PolicyInput } from '../../../shared/agent/config/policy.ts';
import { definePolicy } from '../../../shared/agent/define/policy.ts';
import { call, decide, policy } from './policy.fixture.ts';

type Condition = NonNullable<NonNullable<PolicyInput['rules']>[number]['when']>[number];

/** The decisions for an input on a rule with one condition that forbids, that asks, and that allows under a mode which asks. */
function with3(condition: Condition, value: unknown) {
  const seen = call({ input: { value } });
  const rule = (decision: 'forbid' | 'ask' | 'allow') => ({
    name: 'r',
    decision,
    tools: ['edit'],
    when: [condition],
  });
  return [
    decide([policy([rule('forbid')])], seen)?.decision,
    decide([policy([rule('ask')])], seen)?.decision,
    decide([policy([rule('allow')], 'interactive')], seen)?.decision,
  ].join(' ');
}
const matches = 'forbid ask allow';
const doesNot = '  ask';
const cannotTell = 'forbid ask ask';

describe('T22: conditions', () => {
  test.each<[string, Condition, unknown, string]>([
    ['equals', { argument: 'a', equals: 1 }, { a: 1 }, matches],
    ['equals another', { argument: 'a', equals: 1 }, { a: 2 }, doesNot],
    ['equals with another type', { argument: 'a', equals: 1 }, { a: '1' }, doesNot],
    ['equals null', { argument: 'a', equals: null }, { a: null }, matches],
    ['is an object instead of a value', { argument: 'a', equals: 1 }, { a: { b: 1 } }, cannotTell],
    ['is one of', { argument: 'a', oneOf: ['x', 'y'] }, { a: 'y' }, matches],
    ['is none of', { argument: 'a', oneOf: ['x', 'y'] }, { a: 'z' }, doesNot],
    ['begins with it', { argument: 'a.b', startsWith: 'git ' }, { a: { b: 'git push' } }, matches],
    ['begins differently', { argument: 'a.b', startsWith: 'git ' }, { a: { b: 'gitk' } }, doesNot],
    ['is not text', { argument: 'a', startsWith: 'git ' }, { a: 7 }, cannotTell],
    ['matches', { argument: 'a', matches: '^v\\d+$' }, { a: 'v12' }, matches],
    ['does not match', { argument: 'a', matches: '^v\\d+$' }, { a: 'w12' }, doesNot],
    ['at most', { argument: 'euros', atMost: 20 }, { euros: 20 }, matches],
    ['more', { argument: 'euros', atMost: 20 }, { euros: 20.01 }, doesNot],
    ['at least', { argument: 'euros', atLeast: 20 }, { euros: 20 }, matches],
    ['less', { argument: 'euros', atLeast: 20 }, { euros: -1 }, doesNot],
    ['is a number as text', { argument: 'euros', atMost: 20 }, { euros: '10' }, cannotTell],
    ['is absent', { argument: 'euros', atMost: 20 }, {}, cannotTell],
    ['is at a missing path', { argument: 'a.b.c', equals: 1 }, { a: 1 }, cannotTell],
    ['is the name of a built-in property', { argument: 'constructor', equals: 'x' }, {}, cannotTell],
    ['is the second of a list', { argument: 'a.1', equals: 'y' }, { a: ['x', 'y'] }, matches],
    ['is beyond a list', { argument: 'a.2', equals: 'y' }, { a: ['x', 'y'] }, cannotTell],
    ['all of a list match', { argument: 'a.*', startsWith: 'x' }, { a: ['x1', 'x2'] }, matches],
    ['one of a list matches', { argument: 'a.*', startsWith: 'x' }, { a: ['x1', 'y'] }, cannotTell],
    ['none of a list matches', { argument: 'a.*', startsWith: 'x' }, { a: ['y', 'z'] }, doesNot],
    ['an empty list', { argument: 'a.*', startsWith: 'x' }, { a: [] }, cannotTell],
    ['not a list', { argument: 'a.*', startsWith: 'x' }, { a: 'x' }, cannotTell],
    [
      'is a field of every entry',
      { argument: 'a.*.p', under: 'src' },
      { a: [{ p: 'src/a' }, { p: 'src' }] },
      matches,
    ],
  ])('an argument that %s', (_what, condition, input, expected) => {
    expect(with3(condition, input)).toBe(expected);
  });

  test.each<[string, string, string]>([
    ['in the folder', 'secrets/key.pem', matches],
    ['the folder itself', 'secrets', matches],
    ['from the root', '/secrets/key.pem', matches],
    ['by the workspace’s own name', '/workspace/secrets/key.pem', matches],
    ['by way of another folder', 'src/../secrets/./key.pem', matches],
    ['a name with the same prefix', 'secrets2/key.pem', doesNot],
    ['another folder', 'src/secrets/key.pem', doesNot],
    ['T23: out of the workspace', '../../etc/passwd', cannotTell],
    ['with invalid characters', 'secrets\\key.pem', cannotTell],
    ['with invisible characters', 'sec\u200erets/key.pem', cannotTell],
  ])('T23: a path %s', (_what, path, expected) => {
    expect(with3({ argument: 'path', under: 'secrets' }, { path })).toBe(expected);
  });

  test('arguments that are known only when the call runs never allow, and never exempt from a rule that forbids', () => {
    const rule = (decision: 'forbid' | 'allow') => ({
      name: 'r',
      decision,
      tools: ['*'],
      when: [{ argument: 'a', equals: 1 }],
    });
    const { input: _, ...unread } = call();
    expect(decide([policy([rule('forbid')])], unread)?.decision).toBe('forbid');
    expect(decide([policy([rule('allow')], 'interactive')], unread)?.decision).toBe('ask');
  });

  test('all conditions of a rule must hold', () => {
    const rules = [
      {
        name: 'small',
        decision: 'allow' as const,
        tools: ['refund'],
        when: [
          { argument: 'euros', atMost: 20 },
          { argument: 'country', equals: 'DE' },
        ],
      },
    ];
    const refund = (value: unknown) =>
      call({ tool: 'refund', effect: 'once', level: 'dangerous', input: { value } });
    expect(decide([policy(rules, 'auto_safe')], refund({ euros: 5, country: 'DE' }))).toEqual({
      decision: 'allow',
      rule: 'p.small',
    });
    expect(decide([policy(rules, 'auto_safe')], refund({ euros: 5, country: 'FR' }))?.decision).toBe('ask');
  });
});

describe('T22: which calls a rule matches', () => {
  test.each([
    ['edit', true],
    ['ed*', true],
    ['*', true],
    ['*it', true],
    ['e*i*t', true],
    ['e*t*t', false],
    ['edi', false],
    ['dit', false],
    ['edit*edit', false],
  ])('tools: %s', (glob, expected) => {
    const is = decide([policy([{ name: 'r', decision: 'forbid', tools: [glob] }])]) !== undefined;
    expect(is).toBe(expected);
  });

  test('effects and levels narrow it', () => {
    const forbid = (more: object) => policy([{ name: 'r', decision: 'forbid', tools: ['*'], ...more }]);
    expect(decide([forbid({ effects: ['once'] })])).toBeUndefined();
    expect(decide([forbid({ effects: ['idempotent'] })])?.decision).toBe('forbid');
    expect(decide([forbid({ levels: ['critical'] })])).toBeUndefined();
    expect(decide([forbid({ levels: ['critical'] })], call({ level: 'critical' }))?.decision).toBe('forbid');
  });
});

describe('T22: of several rules', () => {
  const rule = (name: string, decision: 'allow' | 'ask' | 'forbid') => ({ name, decision, tools: ['*'] });

  test('one that forbids beats one that asks, and that beats one that allows', () => {
    expect(decide([policy([rule('a', 'allow'), rule('b', 'ask')])])).toEqual({
      decision: 'ask',
      rule: 'p.b',
    });
    expect(decide([policy([rule('f', 'forbid'), rule('a', 'allow'), rule('b', 'ask')])])?.rule).toBe('p.f');
  });

  test('the strictest policy decides, also by its mode', () => {
    const lax = policy([rule('all', 'allow')], 'yolo', 'lax');
    const strict = policy([], 'interactive', 'strict');
    expect(decide([lax, strict])).toEqual({ decision: 'ask', rule: 'strict (interactive, moderate)' });
    expect(decide([strict, lax])).toEqual(decide([lax, strict]));
  });
});

describe('definePolicy', () => {
  test.each<[string, unknown, string]>([
    ['two things in one condition', [{ argument: 'a', equals: 1, atMost: 2 }], 'exactly one condition'],
    ['a missing value', [{ argument: 'a', equals: undefined }], 'exactly one condition'],
    ['an empty condition', [{ argument: 'a' }], 'exactly one condition'],
    ['an unknown key', [{ argument: 'a', equal: 1 }], 'equal'],
  ])('refuses %s', (_what, when, says) => {
    const rules = [{ name: 'r', decision: 'allow', tools: ['*'], when }] as unknown as [];
    expect(() => definePolicy({ name: 'p', rules })).toThrow(says);
  });

  test('refuses two rules of one name: the journal could not tell them apart', () => {
    const rule = { name: 'r', decision: 'allow' as const, tools: ['*'] };
    expect(() => definePolicy({ name: 'p', rules: [rule, rule] })).toThrow('two rules have the same name');
  });
});
