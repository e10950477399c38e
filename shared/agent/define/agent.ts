import * as z from 'zod';
import { AgentName } from '../../contract/session.ts';
import { Approvals, type ApprovalsOption } from '../config/approvals.ts';
import { Guardrails } from '../config/guardrails.ts';
import { Limits } from '../config/limits.ts';
import { Model, type ModelOption } from '../config/model.ts';
import { channels, policiesIn } from '../config/policies.ts';
import type { Policy } from '../config/policy.ts';
import { type GuardrailsOption, withPreset } from '../config/resolve.ts';
import { SaidContext } from '../config/said.ts';
import { shapeOf } from '../config/shape.ts';
import { ToolSearch } from '../config/tool-search.ts';
import type { AnyGuard } from '../guardrails/guard.ts';
import { defined } from '../plain/defined.ts';
import { explain } from '../plain/explain.ts';
import { freezeDeep } from '../plain/merge.ts';
import { once } from '../plain/once.ts';
import { modes } from '../session/proposals.ts';
import { separator, type ToolSource } from '../tools/source.ts';
import type { Tool } from '../tools/tool.ts';
import { Answer, type AnswerSchema } from './answer.ts';
import { wrongAnswer } from './check-answer.ts';
import { wrongCommand } from './check-command.ts';
import { wrongContext } from './check-context.ts';
import { wrongGuards } from './check-guards.ts';
import { wrongModels } from './check-models.ts';
import { wrongSkillNames } from './check-skills.ts';
import { wrongTool } from './check-tools.ts';
import { Delegates, toolsFor } from './delegates.ts';
import type { FromFacts } from './first-facts.ts';
import { Handoffs, toolsForHandoffs } from './handoffs.ts';
import type { MayDecide } from './may-decide.ts';
import type { PriceTable } from './price-table.ts';
import { sendToFor } from './send-to.ts';

const fn = z.custom<Tool>(
  (value) => typeof value === 'object' && value !== null && 'run' in value,
  'use defineTool',
);
const source = z.custom<ToolSource>(
  (value) => typeof value === 'object' && value !== null && 'list' in value && 'get' in value,
  'use defineToolSource',
);
const guard = z
  .custom<AnyGuard>((value) => typeof value === 'object' && value !== null && 'hooks' in value, {
    error: 'use defineGuard',
    abort: true,
  })
  .refine(({ settings = {} }) => z.json().safeParse(settings).success, {
    path: ['settings'],
    error: 'must be JSON, because settings are stored with the run',
  });

const policy = z.custom<Policy>(
  // A policy object written by hand was never validated, and is not frozen.
  (value) => typeof value === 'object' && value !== null && 'rules' in value && Object.isFrozen(value),
  'use definePolicy',
);

const mayDecide = z.custom<MayDecide>((value) => typeof value === 'function', 'must be a function');

const Definition = z.strictObject({
  name: AgentName,
  /** Your own version; shown to operators. A session is pinned to the content of the definition, not to this. */
  version: z.string().min(1).max(64),
  model: Model,
  /** The models that a function `model` chooses from. */
  models: z.array(Model).max(20).default([]),
  system: z.string().min(1),
  tools: z.array(fn).default([]),
  /** The schema of each run's answer, an object (docs/answers.md). Text when absent. */
  answer: Answer.optional(),
  /** Other agents that it may ask: its model has a tool for each (docs/children.md). */
  agents: Delegates.default({}),
  /** Agents to which it may give its session: its model has a tool for each (docs/handoffs.md). */
  handoffs: Handoffs.default({}),
  /** Sources of more tools, which are known only when a session begins (docs/tools.md, "Tool sources"). */
  toolSources: z.array(source).default([]),
  /** Skills that it may read, by the names of their folders in the project's folder `skills` (docs/skills.md). */
  skills: z.array(z.string()).default([]),
  /**
   * Whether it may also read skills that are files of a session's workspace: `true` for the folders `.agents/skills`,
   * `.claude/skills` and `skills`, or the folders to look in.
   */
  workspaceSkills: z.union([z.boolean(), z.array(z.string())]).default(false),
  /** When the model searches for its tools instead of being sent all of them (docs/tools.md, "Tool search"). */
  toolSearch: ToolSearch.prefault({}),
  /** The guards' configuration, merged with the preset (docs/guards.md). */
  guardrails: Guardrails.prefault({}),
  /** Your own guards, which run after the built-in ones. */
  guards: z.array(guard).default([]),
  /** The line before each message: its time and its sender (docs/context.md). */
  context: SaidContext.prefault({}),
  limits: Limits.prefault({}),
  approvals: Approvals.prefault({}),
  /** The calls that it may make, those that need a person's approval, and those that it may never make (docs/leave.md). */
  policy: policy.optional(),
  /** Further policies, by sender; the strictest decides. */
  policyBy: z
    .strictObject({
      /** By the channel through which a message came. */
      channel: z.partialRecord(z.enum(channels), policy).optional(),
      /** By a role in the sender's JWT. */
      role: z.record(z.string().min(1).max(100), policy).optional(),
    })
    .optional(),
  /**
   * `plan`: the changes that its sessions would make are proposed, and made once people have approved them. When absent, each
   * session decides (docs/plan-mode.md).
   */
  mode: z.enum(modes).optional(),
  /** Your own rule on who may approve calls, applied after those of `approvals` (docs/identity.md). */
  mayDecide: mayDecide.optional(),
});

/**
 * The argument of `defineAgent`. `guardrails` is a preset's name, or keys on top of a preset's; `approvals` is `by_tool` or keys.
 */
export type AgentDefinition = Omit<
  z.input<typeof Definition>,
  'guardrails' | 'approvals' | 'system' | 'model'
> & {
  /** Instructions, or a synchronous function that makes them from a session's first facts, once (docs/context.md). */
  readonly system: string | (FromFacts['system'] & {});
  /** The model, or a synchronous function that chooses one of `models` by a session's first facts, once. */
  readonly model: ModelOption | (FromFacts['model'] & {});
  readonly guardrails?: GuardrailsOption;
  readonly approvals?: ApprovalsOption;
};
/** An agent: validated, defaults filled in, frozen. */
export type Agent = Readonly<z.output<typeof Definition>> & {
  readonly fromFacts?: FromFacts;
  /** `prices` of its deployment; absent if it has none. */
  readonly prices?: PriceTable;
};
/** An agent whose answers are typed. */
export type AgentWith<A extends AnswerSchema | undefined> = Omit<Agent, 'answer'> & { readonly answer: A };

/**
 * Declares an agent. Unknown keys are refused. Throws if the definition is not valid, and names every wrong key.
 *
 * @example
 * export default defineAgent({
 *   name: 'triage', version: '1', model: { name: 'claude-sonnet-5-5' },
 *   system: 'You label issues.', tools: [getIssue, addLabels],
 * });
 */
export function defineAgent<A extends AnswerSchema | undefined = undefined>(
  definition: AgentDefinition & { readonly answer?: A },
): AgentWith<A> {
  const name = definition.name ?? '?';
  const fromFacts = functionsIn(definition);
  const parsed = Definition.safeParse(
    orThrow(name, () => withPreset(withoutFunctions(definition))),
    once,
  );
  if (!parsed.success) throw new Error(`agent ${name}:\n${explain(parsed.error, Definition)}`);
  parsed.data.tools.push(
    ...toolsFor(parsed.data.agents, shapeOf(parsed.data.model)),
    ...sendToFor(parsed.data.agents),
    ...toolsForHandoffs(parsed.data.handoffs),
  );
  const names = parsed.data.tools.map((tool) => tool.name);
  const unreadable = wrongSkillNames(parsed.data);
  if (unreadable) throw new Error(`agent ${parsed.data.name}: ${unreadable}`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new Error(`agent ${parsed.data.name}: two tools are named ${twice}`);
  const [uncallable] = parsed.data.tools.flatMap((tool) => wrongTool(tool) ?? []);
  if (uncallable) throw new Error(`agent ${parsed.data.name}: ${uncallable}`);
  const sources = parsed.data.toolSources.map(({ name }) => name);
  const again = sources.find((name, i) => sources.indexOf(name) !== i);
  if (again) throw new Error(`agent ${parsed.data.name}: two tool sources are named ${again}`);
  const { guardrails: held, model: own, models: choices } = parsed.data;
  const [unaskable] = [own, ...choices].flatMap((model) => wrongModels({ model, tools: parsed.data.tools }));
  if (unaskable) throw new Error(`agent ${parsed.data.name}: ${unaskable}`);
  const { toolSearch } = parsed.data;
  const unknown = toolSearch
    ? toolSearch.always.find(
        (one) => !names.includes(one) && !sources.some((source) => one.startsWith(`${source}${separator}`)),
      )
    : undefined;
  if (unknown !== undefined)
    throw new Error(
      `agent ${parsed.data.name}: toolSearch.always names ${unknown}, which is not one of its tools`,
    );
  const [impossible] = [own, ...choices].flatMap((model) => wrongContext({ model, guardrails: held }));
  if (impossible) throw new Error(`agent ${parsed.data.name}: ${impossible}`);
  const unrunnable = wrongCommand(parsed.data.tools, parsed.data.guardrails);
  if (unrunnable) throw new Error(`agent ${parsed.data.name}: ${unrunnable}`);
  const { answer } = parsed.data;
  const unsayable = answer && wrongAnswer(answer);
  if (unsayable) throw new Error(`agent ${parsed.data.name}: ${unsayable}`);
  const [confused] = wrongGuards(parsed.data);
  if (confused) throw new Error(`agent ${parsed.data.name}: ${confused}`);
  const policies = policiesIn(parsed.data).map((one) => one.name);
  const ambiguous = policies.find((name, i) => policies.indexOf(name) !== i);
  if (ambiguous) throw new Error(`agent ${parsed.data.name}: two policies are named ${ambiguous}`);
  const { guardrails, limits } = parsed.data;
  for (const part of [guardrails, limits]) freezeDeep(part);
  const { models } = parsed.data;
  if (fromFacts?.model ? models.length === 0 : models.length > 0)
    throw new Error(
      `agent ${parsed.data.name}: models lists the choices of a function model; give both, or neither`,
    );
  // Not the answer: a schema computes parts of itself on first use, so it must not be frozen.
  for (const part of Object.values({ ...parsed.data, answer: undefined })) Object.freeze(part);
  return Object.freeze({ ...parsed.data, ...defined({ fromFacts }) }) as unknown as AgentWith<A>;
}

function functionsIn({ system, model }: AgentDefinition): FromFacts | undefined {
  const made = {
    ...(typeof system === 'function' && { system }),
    ...(typeof model === 'function' && { model }),
  };
  return Object.keys(made).length > 0 ? Object.freeze(made) : undefined;
}

/**
 * The definition with a text in place of a function, and the first of the listed models. They represent the agent when no session
 * is known.
 */
function withoutFunctions({ system, model, ...rest }: AgentDefinition) {
  const [first] = rest.models ?? [];
  return {
    ...rest,
    system: typeof system === 'function' ? 'Made of the first facts of each session.' : system,
    model: typeof model === 'function' ? (first ?? { name: 'none' }) : model,
  };
}

function orThrow<T>(agent: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(`agent ${agent}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
