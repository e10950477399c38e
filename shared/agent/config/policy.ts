import * as z from 'zod';
import { effectNames } from './effects.ts';
import { levels } from './levels.ts';

const value = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]);
const text = z.string().min(1).max(1_000);

/** What one argument must be like. */
export const Condition = z
  .strictObject({
    /**
     * Which argument, as the tool's schema has read it: names with dots between them. `*` is every entry of a list: an `allow` wants all
     * of them so, `ask` and `forbid` one of them.
     */
    argument: z.string().min(1).max(200),
    /** It is this value. */
    equals: value.optional(),
    /** It is one of these values. */
    oneOf: z.array(value).min(1).max(100).optional(),
    /** It is a text that begins so. */
    startsWith: text.optional(),
    /** It is a text in which this regular expression of RE2 matches somewhere. */
    matches: text.optional(),
    /** It is the path of this folder or of something in it, as paths of the workspace are read: `a/../b` is `b`. `''` is the root. */
    under: z.string().max(512).optional(),
    /** It is a number, and no larger. */
    atMost: z.number().optional(),
    /** It is a number, and no smaller. */
    atLeast: z.number().optional(),
  })
  .refine(
    ({ argument: _, ...asked }) => Object.values(asked).filter((one) => one !== undefined).length === 1,
    {
      error:
        'must ask one thing of its argument: equals, oneOf, startsWith, matches, under, atMost or atLeast',
    },
  );

const glob = z
  .string()
  .regex(
    /^[A-Za-z0-9_*-]{1,64}$/,
    'use the name of a tool: letters, digits, _ and -; * stands for any of them',
  );

/** What a policy says of some calls. */
export const Rule = z.strictObject({
  /** What people and the model read of it, and the journal keeps: letters, digits, `-` and `_`. Each of a policy has its own. */
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'use up to 64 letters, digits, _ and -'),
  /** Of several rules that match, `forbid` goes before `ask`, and `ask` before `allow`, in whatever order they stand. */
  decision: z.enum(['allow', 'ask', 'forbid']),
  /** Names of tools; `*` in one stands for any letters. */
  tools: z.array(glob).min(1).max(100),
  /** Only calls of tools with these effects; of all when absent. */
  effects: z.array(z.enum(effectNames)).min(1).optional(),
  /** Only calls of these levels; of all when absent. */
  levels: z.array(z.enum(levels)).min(1).optional(),
  /**
   * What the arguments must be like: all of these. Where one cannot be told, because the argument is absent or of another kind, `ask` and
   * `forbid` go by the others, and `allow` does not match.
   */
  when: z.array(Condition).max(20).default([]),
});

/** What `definePolicy` takes. */
export const PolicyKeys = z
  .strictObject({
    /** What people and the model read of it, and the journal keeps. */
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'use up to 64 letters, digits, _ and -'),
    /** What is decided on a call of which no rule says anything, by its level (docs/leave.md). */
    mode: z.enum(['strict', 'interactive', 'auto_safe', 'yolo']).default('interactive'),
    /** What it says of some calls; their order means nothing. */
    rules: z.array(Rule).max(200).default([]),
  })
  .refine(({ rules }) => new Set(rules.map(({ name }) => name)).size === rules.length, {
    path: ['rules'],
    error: 'two rules have the same name',
  });

/** Keys of `definePolicy`. */
export type PolicyInput = z.input<typeof PolicyKeys>;
/** A policy as `definePolicy` gives it. */
export type Policy = Readonly<z.output<typeof PolicyKeys>>;
/** One of its rules, and what one of those wants of an argument. */
export type PolicyRule = Policy['rules'][number];
export type PolicyCondition = PolicyRule['when'][number];
/** What decides where no rule does (T24). */
export type Mode = Policy['mode'];
/** What is decided on a call. */
export type Decided = PolicyRule['decision'];
