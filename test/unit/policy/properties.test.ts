/** Compares the evaluator with a naive one that follows the page, over random policies, calls and orders. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { levels } from '../../../shared/agent/config/levels.ts';
import type { Policy } from '../../../shared/agent/config/policy.ts';
import { evaluate } from '../../../shared/agent/policy/evaluate.ts';
import { ruleMatches, type SeenCall } from '../../../shared/agent/policy/match.ts';
import { modes } from '../../../shared/agent/policy/modes.ts';
import type { Grant } from '../../../shared/agent/session/leave.ts';
import { pattern, policy } from './policy.fixture.ts';

const level = fc.constantFrom(...levels);
const effect = fc.constantFrom('read', 'idempotent', 'once');
const scalar = fc.constantFrom(0, 1, 'x', 'y/z', '../x', null);
const condition = fc.oneof(
  fc.record({ argument: fc.constantFrom('a', 'a.b', 'l.*'), equals: scalar }),
  fc.record({ argument: fc.constantFrom('a', 'l.*'), under: fc.constantFrom('', 'x', 'y') }),
  fc.record({ argument: fc.constantFrom('a', 'a.b'), atMost: fc.constantFrom(0, 1) }),
);
const rule = fc.record(
  {
    decision: fc.constantFrom('allow', 'ask', 'forbid'),
    tools: fc.subarray(['edit', 'ed*', 'read', '*'], { minLength: 1 }),
    effects: fc.subarray(['read' as const, 'idempotent' as const, 'once' as const], { minLength: 1 }),
    levels: fc.subarray([...levels], { minLength: 1 }),
    when: fc.array(condition, { maxLength: 2 }),
  },
  { requiredKeys: ['decision', 'tools'] },
);
const mode = fc.constantFrom('strict', 'interactive', 'auto_safe', 'yolo');
const onePolicy = (name: string) =>
  fc.tuple(fc.array(rule, { maxLength: 6 }), mode).map(([rules, its]) =>
    policy(
      rules.map((one, i) => ({ ...one, name: `r${i}` })),
      its,
      name,
    ),
  );
const policies = fc.tuple(onePolicy('p'), onePolicy('q')).chain((both) => fc.subarray(both));
const input = fc.record(
  { a: fc.oneof(scalar, fc.record({ b: scalar })), l: fc.array(scalar, { maxLength: 3 }) },
  { requiredKeys: [] },
);
const seen: fc.Arbitrary<SeenCall> = fc
  .record({
    tool: fc.constantFrom('edit', 'read', 'drop'),
    effect,
    level,
    value: fc.option(input, { nil: undefined }),
  })
  .map(({ value, ...call }) => ({ ...call, ...(value && { input: { value } }) }));
const grant: Grant = { id: 'g', tool: 'edit', level: 'critical', by: 'ann', at: 0 };
const asks = fc.option(fc.constant('tool'), { nil: undefined });

/** The rules of docs/leave.md, in its words. */
function naive(all: readonly Policy[], call: SeenCall, asked: string | undefined, granted: boolean) {
  const about = all.map((one) => one.rules.filter((its) => ruleMatches(its, call, pattern)));
  const says = (what: string) =>
    all.some(
      ({ mode: by }, i) =>
        about[i]?.some(({ decision }) => decision === what) ||
        (about[i]?.length === 0 && modes[by][call.level] === what),
    );
  if (says('forbid')) return 'forbid';
  if (!says('ask') && asked === undefined) return 'allow';
  return granted ? 'allow' : 'ask';
}

describe('over random policies and calls', () => {
  test('the evaluator decides as the naive one', () => {
    fc.assert(
      fc.property(policies, seen, asks, fc.boolean(), (all, call, asked, granted) => {
        const decided = evaluate({
          policies: all,
          call,
          asks: asked,
          grant: granted ? grant : undefined,
          pattern,
        });
        expect(decided?.decision ?? 'allow').toBe(naive(all, call, asked, granted));
      }),
      { numRuns: 2_000 },
    );
  });

  test('the order of rules and policies changes nothing: neither the decision nor the named rule', () => {
    const shuffled = policies.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc
          .tuple(...all.map((one) => fc.shuffledSubarray([...one.rules], { minLength: one.rules.length })))
          .chain((rules) =>
            fc.shuffledSubarray(
              all.map((one, i) => ({ ...one, rules: rules[i] ?? [] })),
              { minLength: all.length },
            ),
          ),
      ),
    );
    fc.assert(
      fc.property(shuffled, seen, asks, ([all, others], call, asked) => {
        expect(evaluate({ policies: others, call, asks: asked, pattern })).toEqual(
          evaluate({ policies: all, call, asks: asked, pattern }),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test('a matching rule that forbids never loses, whatever other rules and grants there are', () => {
    fc.assert(
      fc.property(policies, seen, asks, fc.nat(), (all, call, asked, at) => {
        const [first, ...others] = all;
        if (!first) return;
        const never = { name: 'never', decision: 'forbid' as const, tools: ['*'], when: [] };
        const rules = first.rules.toSpliced(at % (first.rules.length + 1), 0, never);
        const decided = evaluate({
          policies: [{ ...first, rules }, ...others],
          call,
          asks: asked,
          grant,
          pattern,
        });
        expect(decided?.decision).toBe('forbid');
      }),
    );
  });

  test('unknown arguments never allow a call, and never exempt it from a rule that asks or forbids', () => {
    fc.assert(
      fc.property(rule, seen, (one, call) => {
        const [its] = policy([{ ...one, name: 'r' }]).rules;
        if (!its) throw new Error('there is a rule');
        const { input: _, ...unread } = call;
        const [read, untold] = [call, unread].map((of) => ruleMatches(its, of, pattern));
        if (its.decision === 'allow') expect(untold && !read && its.when.length > 0).toBe(false);
        else expect(read && !untold).toBe(false);
      }),
    );
  });
});
