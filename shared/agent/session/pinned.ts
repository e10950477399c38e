import type { ToolsOmitted } from '../../contract/events.ts';
import type { Approvals } from '../config/approvals.ts';
import type { Cache } from '../config/cache.ts';
import type { Effect } from '../config/effects.ts';
import type { Guardrails } from '../config/guardrails.ts';
import type { Limits } from '../config/limits.ts';
import type { DialectName, Medium } from '../config/model.ts';
import type { Price } from '../config/price.ts';
import type { SaidContext } from '../config/said.ts';
import type { ServerTool } from '../config/server-tools.ts';
import { defined } from '../plain/defined.ts';
import type { PinnedSkills } from './skills.ts';
import type { Slice } from './verdict.ts';

/**
 * The pinned definition of a session: everything that the model's prompt and the loop's rules are made of, as data. Stored once
 * per content hash. The prompt's part is from the session's start, so that a deploy never changes history; the rules are from
 * the run's start (`rules.ts`). The tools' code is not included: a call runs the deployed code.
 */
export interface Pinned {
  readonly agent: string;
  readonly version: string;
  /** Absent on sessions from before there was more than one. */
  readonly provider?: string;
  readonly server?: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly system: string;
  readonly tools: readonly PinnedTool[];
  /**
   * The tools are in the form that every model server accepts (`tools/forms/`). Absent until the session's first step, and if
   * no tool needed a change.
   */
  readonly formed?: true;
  /**
   * The lists of the agent's tool sources, by their names. Absent before the session's first step, for agents without sources,
   * and on sessions whose model had already replied when there were none.
   */
  readonly sources?: Readonly<Record<string, PinnedSource>>;
  /** The tools of the page whose message has begun the run. Absent if it offers none. */
  readonly page?: PinnedPage;
  /** Its skills. Absent before the session's first step, and if the agent had none then. */
  readonly skills?: PinnedSkills;
  /** Tools that the model's server refused, so that the session continues without them. Absent if there are none. */
  readonly refused?: readonly RefusedTool[];
  /** How the model searches for its tools. Absent if requests declare all of them, and on definitions of older versions. */
  readonly search?: PinnedSearch;
  /** The object that its runs answer with. `system` asks for it too. Absent if answers are text. */
  readonly answer?: PinnedAnswer;
  /**
   * The line before each message that says when and by whom it was sent. Absent if there is no such line, and on sessions of
   * older versions.
   */
  readonly context?: SaidContext;
  readonly limits: Limits;
  readonly guardrails: Guardrails;
  readonly approvals: Approvals;
  /** The agent's own guards, by name. Absent on definitions from before they were pinned, which use the deployed ones. */
  readonly guards?: Readonly<Record<string, PinnedGuard>>;
  /** See {@link PinnedModel}. */
  readonly dialect?: DialectName;
  readonly accepts?: readonly Medium[];
  readonly window?: number;
  readonly cache?: Cache;
  readonly serverTools?: readonly ServerTool[];
  /** Absent if the price is not known: the cost then counts as 0. */
  readonly price?: PinnedPrice;
  /** The model that summarizes what leaves the context; the run's own model when absent. */
  readonly summarizer?: PinnedModel;
  /** The model that assesses progress; the run's own model when absent. */
  readonly judge?: PinnedModel;
  /** Models to ask in place of the first. */
  readonly fallbacks?: readonly PinnedModel[];
}

/** The object that the runs of a session answer with. */
export interface PinnedAnswer {
  /** As JSON Schema: the model is asked for it. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The pinned part of a guard: its code is the deployed code. */
export interface PinnedGuard {
  readonly version: string;
  readonly settings: Slice;
}

/** A model of a definition, and how it is asked. */
export interface PinnedModel {
  readonly provider: string;
  readonly server: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly request: Readonly<Record<string, unknown>>;
  /** The server's requirements beyond the API; absent if its address or the model's name shows them. */
  readonly dialect?: DialectName;
  /** Media that it reads besides text; when absent, those that its provider's models read. */
  readonly accepts?: readonly Medium[];
  /** Tokens of request and reply that it accepts; absent if not known, and on definitions of older versions. */
  readonly window?: number;
  readonly price?: PinnedPrice;
  /** How long its server keeps the parts of a request cached. Five minutes each when absent. */
  readonly cache?: Cache;
  /** Tools that its server runs, as the server declares them. */
  readonly serverTools?: readonly ServerTool[];
}

/** A price that a session keeps. */
export type PinnedPrice = Price & {
  /** It comes from the list of prices, not from the agent. */
  readonly listed?: true;
};

/** A tool as it is declared to the model. */
export interface PinnedTool {
  readonly name: string;
  readonly description: string;
  /** In the form that every model server accepts. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** The schema that calls are checked by, if it differs. Tools of code are checked by their own zod schema. */
  readonly original?: Readonly<Record<string, unknown>>;
  /** Keys of properties that the form had to rename: from the form's key to the tool's own. */
  readonly keys?: Readonly<Record<string, string>>;
}

/** The tool search of a session that has more tools than a model handles. */
export interface PinnedSearch {
  /** Names of the two tools that search and call. */
  readonly find: string;
  readonly call: string;
  /** Names of the other tools that requests declare. */
  readonly shown: readonly string[];
}

/** The list of a tool source when the session began; the part that the model reads is in {@link Pinned.tools}. */
export interface PinnedSource {
  readonly tools: readonly SourcedTool[];
  /** Set if it could not list, and the session continues without its tools: the reason, in words. */
  readonly missing?: string;
  /** Listed tools that the session continues without, the first 50. Absent if there are none. */
  readonly omitted?: readonly OmittedTool[];
  /** How many more were left out. */
  readonly omittedMore?: number;
}

/** The tools of a page in a run; the part that the model reads is in {@link Pinned.tools}. */
export interface PinnedPage {
  /** Hash of what the page has offered. */
  readonly offer: string;
  /** Names of the tools that are offered to the model. */
  readonly tools: readonly string[];
  /** Seconds that a call waits for its page. */
  readonly seconds: number;
  /** Tools that are not; absent if there are none. */
  readonly omitted?: readonly OmittedTool[];
}

/** A tool that was left out of a listing. */
export interface OmittedTool {
  /** Its name at its source, up to 100 characters; its place in the list if it has no name. */
  readonly tool: string;
  /** A text that continues after its name. */
  readonly why: string;
}

/** A tool that a model's server refused. */
export interface RefusedTool extends OmittedTool {
  /** The source that listed it; absent for a tool of code. */
  readonly source?: string;
}

/** The stored facts of a listed tool, besides what the model reads. */
export interface SourcedTool {
  /** Its name for the model. */
  readonly name: string;
  /** Its name at its source. */
  readonly listedAs: string;
  readonly effect: Effect;
  readonly where: 'inline' | 'queue';
  readonly approval?: 'always' | 'never';
  readonly timeoutSeconds?: number;
}

/** A model's entry in the list of prices: its price, and its window if that is known. */
export type ListedPrice = PinnedPrice & Pick<PinnedModel, 'window'>;

/**
 * Looks up a model's price; undefined if it is not in the list.
 *
 * @param isDeclared whether the definition says the price, so that only the window is wanted
 */
export type PriceOf = (model: string, isDeclared?: boolean) => Promise<ListedPrice | undefined>;

/** The part of a definition that says which models are asked, and how. */
export type NamesModels = Pick<
  Pinned,
  | 'provider'
  | 'server'
  | 'model'
  | 'maxTokens'
  | 'request'
  | 'dialect'
  | 'accepts'
  | 'window'
  | 'cache'
  | 'serverTools'
  | 'price'
  | 'fallbacks'
>;

/** The model that a run asks: its definition's own, or the `fallback`-th of the others, from 1. */
export function modelAt(pinned: NamesModels, fallback = 0): PinnedModel {
  const models = modelsOf(pinned);
  return models[fallback] ?? models[0];
}

/** The models of a definition in the order in which they are asked; the first is its own. */
export function modelsOf(pinned: NamesModels): readonly [PinnedModel, ...PinnedModel[]] {
  const {
    provider = 'anthropic',
    server = 'primary',
    model,
    maxTokens,
    request,
    dialect,
    accepts,
    window,
    cache,
    serverTools,
    price,
    fallbacks = [],
  } = pinned;
  const known = {
    ...defined({ dialect, accepts }),
    ...(window && { window }),
    ...defined({ cache, serverTools, price }),
  };
  return [{ provider, server, model, maxTokens, request, ...known }, ...fallbacks];
}

/** The tools that the session continues without, by their sources. */
export const omittedIn = ({
  sources = {},
  refused = [],
}: Pick<Pinned, 'sources' | 'refused'>): ToolsOmitted[] => [
  ...Object.entries(sources).flatMap(([source, { omitted, omittedMore: more }]) =>
    omitted ? [{ source, tools: omitted.map((one) => ({ ...one })), ...(more && { more }) }] : [],
  ),
  ...refused.map(toldRefused),
];

/** A refused tool as people are told of it. Tools of code have no source, so the agent is named. */
export const toldRefused = ({ source = 'agent', tool, why }: RefusedTool): ToolsOmitted => ({
  source,
  tools: [{ tool, why }],
});
