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
import type { Slice } from './verdict.ts';

/**
 * What a session is pinned to: all that the model's prompt and the loop's rules are made of, as data. Stored once per
 * content hash. The prompt's part is that of the session's start, so that a deploy never alters history; the rules are those of the run's start (A21, `rules.ts`). The tools' code is not in here: a call runs on what is
 * deployed now.
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
  /** The tools are in the form that every model server takes (`tools/forms/`). Absent until the session's first step, and where all were sound. */
  readonly formed?: true;
  /**
   * What the agent's sources of tools have listed, by their names. Absent before the session's first step, of agents without
   * sources, and on sessions whose model had spoken before there were any.
   */
  readonly sources?: Readonly<Record<string, PinnedSource>>;
  /** Tools that the server of the model did not take, so that the session goes without them. Absent when there are none. */
  readonly refused?: readonly RefusedTool[];
  /** How the model searches for its tools. Absent when requests declare all of them, and on definitions from before there was a search. */
  readonly search?: PinnedSearch;
  /** What its runs answer with. `system` asks for it too. Absent where that is text. */
  readonly answer?: PinnedAnswer;
  /** The line before each message: when it was said, and by whom. Absent where that is nothing, and on sessions from before there was any of it. */
  readonly context?: SaidContext;
  readonly limits: Limits;
  readonly guardrails: Guardrails;
  readonly approvals: Approvals;
  /** The agent's own guards, by name. Absent on definitions from before they were pinned: then as deployed. */
  readonly guards?: Readonly<Record<string, PinnedGuard>>;
  /** See {@link PinnedModel}. */
  readonly dialect?: DialectName;
  readonly accepts?: readonly Medium[];
  readonly window?: number;
  readonly cache?: Cache;
  readonly serverTools?: readonly ServerTool[];
  /** Absent when nobody knows the price: the cost counts as 0 then (A10). */
  readonly price?: PinnedPrice;
  /** Who sums up what leaves the context; the model that the run asks when absent. */
  readonly summarizer?: PinnedModel;
  /** Models to be asked in the place of the first (T14). */
  readonly fallbacks?: readonly PinnedModel[];
}

/** The object that the runs of a session answer with. */
export interface PinnedAnswer {
  /** As JSON Schema: what the model is asked for. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a run keeps of a guard: its code is what is deployed now. */
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
  /** What its server wants beyond the API; absent where its address or the model's name says it. */
  readonly dialect?: DialectName;
  /** What it reads beside text; where nobody has said it, what its provider's models do. */
  readonly accepts?: readonly Medium[];
  /** Tokens of request and reply that it takes; absent when nobody knows, and on definitions from before it was kept. */
  readonly window?: number;
  readonly price?: PinnedPrice;
  /** How long its server keeps the parts of a request cached. Five minutes each when absent. */
  readonly cache?: Cache;
  /** Tools that its server runs, as the server declares them. */
  readonly serverTools?: readonly ServerTool[];
}

/** A price that a session keeps. */
export type PinnedPrice = Price & {
  /** It is from the list of prices, and not the agent's own. */
  readonly listed?: true;
};

/** A tool as the model is told of it. */
export interface PinnedTool {
  readonly name: string;
  readonly description: string;
  /** In the form that every model server takes. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** The schema that calls are checked by, where that is another one. Tools of code are checked by their own zod schema. */
  readonly original?: Readonly<Record<string, unknown>>;
  /** Keys of properties that the form had to rename: the tool's own key by the form's. */
  readonly keys?: Readonly<Record<string, string>>;
}

/** The search for tools of a session that has more than a model handles. */
export interface PinnedSearch {
  /** Names of the two tools that search and call. */
  readonly find: string;
  readonly call: string;
  /** Names of the other tools that requests declare. */
  readonly shown: readonly string[];
}

/** What a source of tools has listed when the session began; what the model reads of it is among {@link Pinned.tools}. */
export interface PinnedSource {
  readonly tools: readonly SourcedTool[];
  /** Set when it could not list, and the session goes without its tools: why, in words. */
  readonly missing?: string;
  /** Tools that it has listed and the session goes without, the first 50. Absent when there are none. */
  readonly omitted?: readonly OmittedTool[];
  /** How many more were left out. */
  readonly omittedMore?: number;
}

/** A tool that was left out of a listing. */
export interface OmittedTool {
  /** Its name at its source, up to 100 characters; its place in the list when it has no name. */
  readonly tool: string;
  /** In words that go on after its name. */
  readonly why: string;
}

/** A tool that the server of a model did not take. */
export interface RefusedTool extends OmittedTool {
  /** The source that has listed it; absent for a tool of code. */
  readonly source?: string;
}

/** What a session keeps of a tool that was listed, beside what the model reads. */
export interface SourcedTool {
  /** What the model calls it. */
  readonly name: string;
  /** What its source calls it. */
  readonly listedAs: string;
  readonly effect: Effect;
  readonly where: 'inline' | 'queue';
  readonly approval?: 'always' | 'never';
  readonly timeoutSeconds?: number;
}

/** What the list of prices says of a model: beside the price stands its window, if that is known. */
export type ListedPrice = PinnedPrice & Pick<PinnedModel, 'window'>;

/** Looks up a model's price; undefined when it is not in the list. */
export type PriceOf = (model: string) => Promise<ListedPrice | undefined>;

/** What of a definition says which models are asked, and how. */
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
    ...(dialect && { dialect }),
    ...(accepts && { accepts }),
    ...(window && { window }),
    ...(cache !== undefined && { cache }),
    ...(serverTools && { serverTools }),
    ...(price && { price }),
  };
  return [{ provider, server, model, maxTokens, request, ...known }, ...fallbacks];
}

/** The tools that the session goes without, by their sources. */
export const omittedIn = ({
  sources = {},
  refused = [],
}: Pick<Pinned, 'sources' | 'refused'>): ToolsOmitted[] => [
  ...Object.entries(sources).flatMap(([source, { omitted, omittedMore: more }]) =>
    omitted ? [{ source, tools: omitted.map((one) => ({ ...one })), ...(more && { more }) }] : [],
  ),
  ...refused.map(toldRefused),
];

/** A refused tool as people are told of it. Tools of code have no source: they are the agent's. */
export const toldRefused = ({ source = 'agent', tool, why }: RefusedTool): ToolsOmitted => ({
  source,
  tools: [{ tool, why }],
});
