import * as z from 'zod';
import type { Agent } from '../../shared/agent/define/agent.ts';
import { explainInLines } from '../../shared/agent/plain/explain.ts';
import type { FakeTool, Rehearsal } from '../rehearsal.ts';
import type { Scripted } from '../scripted-model.ts';
import type { Scorer } from './scorer.ts';

/** Fakes for tools, by the name that the model calls. */
export type Fakes = Readonly<Record<string, FakeTool>>;

/** The setting of a case: of all cases of an eval, or of one case, which takes precedence. */
interface Around extends Pick<Rehearsal, 'settings' | 'secrets' | 'internet' | 'decides' | 'caller'> {
  /**
   * Fakes by tool name, as for `rehearse`. A function creates them for each play, so that they may have state: plays
   * run concurrently.
   */
  readonly tools?: Fakes | (() => Fakes);
  /**
   * Tools that change something and run their own code all the same. A tool that has no fake and is not named here
   * answers with an error, so that no eval writes to the world by accident; a tool that only reads runs its own code.
   */
  readonly real?: readonly string[];
  /** Scorers for every play. */
  readonly expect?: readonly Scorer[];
}

/** One thing that an agent must do right. */
export interface EvalCase extends Around, Pick<Rehearsal, 'user' | 'memory' | 'workspace' | 'answersLater'> {
  /** Unique among the cases; a baseline identifies the case by it. */
  readonly name: string;
  /**
   * The model's answers, in order, if the run has no real model. If absent, the same rules answer as in `steploop dev`
   * without a model.
   */
  readonly script?: readonly Scripted[];
}

/** What `defineEval` takes. */
export interface EvalDefinition extends Around {
  /** Name in tables and baselines; the agent's name if absent. */
  readonly name?: string;
  /** The agent, or its name in the project's definition. */
  readonly agent: Agent | string;
  /** The fraction of a case's plays that must pass, from 0 to 1; all if absent. */
  readonly passRate?: number;
  readonly cases: readonly EvalCase[];
}

/** Cases for an agent, checked. */
export interface Eval extends EvalDefinition {
  readonly name: string;
}

const fn = <T>(what: string) => z.custom<T>((value) => typeof value === 'function', `must be ${what}`);
const scorers = z.array(
  z.custom<Scorer>(
    (value) => typeof value === 'object' && value !== null && 'name' in value && 'score' in value,
    'must be a scorer, such as contains(…), trajectory(…) or scorer(…)',
  ),
);
const values = z.record(z.string(), z.string()).optional();
const around = {
  tools: z
    .union([z.record(z.string(), fn<FakeTool>('a function')), fn<() => Fakes>('a function')])
    .optional(),
  real: z.array(z.string()).optional(),
  settings: values,
  secrets: values,
  internet: fn<NonNullable<Rehearsal['internet']>>('a function').optional(),
  decides: fn<NonNullable<Rehearsal['decides']>>('a function').optional(),
  caller: z.custom<Rehearsal['caller']>((value) => typeof value === 'object').optional(),
  expect: scorers.optional(),
};
const name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]+$/u, 'must be one line');

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const Case = z.strictObject({
  ...around,
  name,
  user: z.custom<Rehearsal['user']>(
    (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
    'must be what people say: a text, or several',
  ),
  script: z
    .array(
      z.custom<Scripted>(
        (value) =>
          typeof value === 'function' || (typeof value === 'object' && value !== null && 'kind' in value),
        'must be an answer of the model, such as says(…) or calls(…)',
      ),
    )
    .min(1, 'must have an answer, or be left out')
    .optional(),
  memory: z.custom<Rehearsal['memory']>((value) => typeof value === 'object').optional(),
  workspace: z.custom<Rehearsal['workspace']>((value) => typeof value === 'object').optional(),
  answersLater: fn<NonNullable<Rehearsal['answersLater']>>('a function').optional(),
});

const Definition = z.strictObject({
  ...around,
  name: name.optional(),
  agent: z.union(
    [
      z.string().min(1),
      z.custom<Agent>((value) => typeof value === 'object' && value !== null && 'system' in value),
    ],
    { error: 'must be an agent made by defineAgent, or the name of one in the definition' },
  ),
  passRate: z.number().gt(0).max(1).optional(),
  // Each case is parsed separately, so that its errors name its own keys.
  cases: z.array(z.unknown()).min(1, 'must have a case'),
});

/**
 * Declares cases for an agent: the default export of `evals/<name>.eval.ts`. Throws with a line for each error.
 *
 * @example
 * export default defineEval({
 *   agent: support,
 *   cases: [
 *     {
 *       name: 'says where an order is',
 *       user: 'Where is order 1001?',
 *       tools: { lookup_order: () => ({ state: 'sent' }) },
 *       expect: [contains('sent'), trajectory([['lookup_order', { orderId: '1001' }]])],
 *     },
 *   ],
 * });
 */
export function defineEval(definition: EvalDefinition): Eval {
  const agent = definition?.agent;
  const called = definition?.name ?? (typeof agent === 'string' ? agent : agent?.name) ?? '?';
  const wrong = wrongKeys(definition);
  if (wrong.length === 0) wrong.push(...wrongCases(definition));
  if (wrong.length > 0) throw new Error(wrong.map((line) => `eval ${called}: ${line}`).join('\n'));
  const made = Object.freeze({ ...definition, name: called });
  evals.add(made);
  return made;
}

const evals = new WeakSet<object>();

/** The fakes of one play: those of the case take precedence over those of its eval. */
export function fakesOf(of: Pick<Eval, 'tools'>, one: Pick<EvalCase, 'tools'>): Fakes {
  const made = (tools: EvalCase['tools']) => (typeof tools === 'function' ? tools() : tools);
  return { ...made(of.tools), ...made(one.tools) };
}

/** Whether a value was made by {@link defineEval}, and so was checked. */
export const isEval = (value: unknown): value is Eval =>
  typeof value === 'object' && value !== null && evals.has(value);

function wrongKeys(definition: EvalDefinition): string[] {
  const parsed = Definition.safeParse(definition);
  if (!parsed.success)
    return explainInLines(parsed.error, Definition).map((line) =>
      line.replace(/^the definition:/, 'the eval:'),
    );
  return parsed.data.cases.flatMap((one, i) => {
    const read = Case.safeParse(one);
    return read.success
      ? []
      : explainInLines(read.error, Case).map(
          (line) => `cases.${i}.${line.replace(/^the definition:/, 'it:')}`,
        );
  });
}

function wrongCases({ cases, expect = [] }: EvalDefinition): string[] {
  const names = cases.map((one) => one.name);
  return cases.flatMap((one, i) => [
    ...(names.indexOf(one.name) < i ? [`two cases are named ${JSON.stringify(one.name)}`] : []),
    ...(expect.length + (one.expect?.length ?? 0) === 0
      ? [`the case ${JSON.stringify(one.name)} expects nothing: give it "expect", such as [contains('…')]`]
      : []),
  ]);
}
