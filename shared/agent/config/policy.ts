import * as z from 'zod';
import { effectNames } from './effects.ts';
import { levels } from './levels.ts';

const value = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]);
const text = z.string().min(1).max(1_000);

/** A condition on one argument. */
export const Condition = z
  .strictObject({
    /**
     * The argument, as the tool's schema has parsed it: names with dots between them. `*` is every entry of a list: `allow` needs
     * all of them to match, `ask` and `forbid` only one.
     */
    argument: z.string().min(1).max(200),
    /** It equals this value. */
    equals: value.optional(),
    /** It is one of these values. */
    oneOf: z.array(value).min(1).max(100).optional(),
    /** It is a text that begins with this. */
    startsWith: text.optional(),
    /** It is a text in which this RE2 regular expression matches somewhere. */
    matches: text.optional(),
    /** It is the path of this folder or of something in it, normalized as a workspace path: `a/../b` is `b`. `''` is the root. */
    under: z.string().max(512).optional(),
    /** It is a number, and no larger. */
    atMost: z.number().optional(),
    /** It is a number, and no smaller. */
    atLeast: z.number().optional(),
  })
  .refine(
    ({ argument: _, ...asked }) => Object.values(asked).filter((one) => one !== undefined).length === 1,
    {
      error: 'must set exactly one condition: equals, oneOf, startsWith, matches, under, atMost or atLeast',
    },
  );

const glob = z
  .string()
  .regex(
    /^[A-Za-z0-9_*-]{1,64}$/,
    'use the name of a tool: letters, digits, _ and -; * stands for any of them',
  );

/** A policy's rule for some calls. */
export const Rule = z.strictObject({
  /** Shown to people and the model, and kept in the journal: letters, digits, `-` and `_`. Unique in its policy. */
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'use up to 64 letters, digits, _ and -'),
  /** If several rules match, `forbid` goes before `ask`, and `ask` before `allow`, whatever their order. */
  decision: z.enum(['allow', 'ask', 'forbid']),
  /** Names of tools; `*` in one stands for any letters. */
  tools: z.array(glob).min(1).max(100),
  /** Only calls of tools with these effects; all calls when absent. */
  effects: z.array(z.enum(effectNames)).min(1).optional(),
  /** Only calls of these levels; all calls when absent. */
  levels: z.array(z.enum(levels)).min(1).optional(),
  /**
   * Conditions on the arguments, which must all hold. If one cannot be checked, because the argument is absent or of another
   * kind, `ask` and `forbid` go by the others, and `allow` does not match.
   */
  when: z.array(Condition).max(20).default([]),
});

/** What `definePolicy` takes. */
export const PolicyKeys = z
  .strictObject({
    /** Shown to people and the model, and kept in the journal. */
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'use up to 64 letters, digits, _ and -'),
    /** The decision on a call that no rule matches, by its level (docs/leave.md). */
    mode: z.enum(['strict', 'interactive', 'auto_safe', 'yolo']).default('interactive'),
    /** Its rules; their order has no effect. */
    rules: z.array(Rule).max(200).default([]),
  })
  .refine(({ rules }) => new Set(rules.map(({ name }) => name)).size === rules.length, {
    path: ['rules'],
    error: 'two rules have the same name',
  });

/** Keys of `definePolicy`. */
export type PolicyInput = z.input<typeof PolicyKeys>;
/** A policy as `definePolicy` returns it. */
export type Policy = Readonly<z.output<typeof PolicyKeys>>;
/** One of its rules, and a condition of a rule on an argument. */
export type PolicyRule = Policy['rules'][number];
export type PolicyCondition = PolicyRule['when'][number];
/** Decides if no rule does. */
export type Mode = Policy['mode'];
/** A decision on a call. */
export type Decided = PolicyRule['decision'];
