import { defined } from '../../agent/plain/defined.ts';
import type { ModelRequest } from '../../agent/ports/provider.ts';
import type { Billing } from '../../agent/session/billing.ts';
import { writesForAnHour } from '../../agent/session/cache.ts';
import { addUsage } from '../../agent/session/cost.ts';
import { noUsage } from '../../agent/session/session.ts';
import type { Block } from '../../agent/session/slots.ts';
import type { Usage } from '../../contract/session.ts';
import type { ServingMode, Unpriced } from '../../contract/unpriced.ts';
import { isObject, type Json, objectAt } from '../common/json.ts';
import type { UsageReader } from '../common/usage.ts';
import { runsForFree } from './server-tools.ts';

/** The usage that a server has reported for a reply so far. */
export interface UsageBook {
  /**
   * Takes the usage of an event. Counts are cumulative: a number replaces the earlier one, a missing number keeps it, and
   * so does 0, which some gateways send for what they have told before (envoyproxy/ai-gateway#1631).
   */
  take(event: Json): void;
  /** Without unknown counts. */
  usage(): Partial<Usage>;
  /** The rest of the bill, for a reply with this content. Undefined if there is none. */
  billing(content: readonly Block[]): Billing | undefined;
  /** Tokens of the last pass over the context; undefined if there was one pass, or the server does not report it. */
  contextTokens(): number | undefined;
}

/** More passes than a server makes for one reply: it pauses the turn after ten. */
const MOST_PASSES = 100;

export function usageBook(request: ModelRequest, counts: UsageReader): UsageBook {
  let usage: Partial<Usage> = {};
  let modes: readonly (ServingMode | 'other_mode')[] = [];
  let iterations: readonly Json[] = [];

  const passes = (): Usage[] =>
    iterations.filter(isPass).map((one) => ({ ...noUsage, ...read(one, counts, request) }));

  return {
    take({ usage: told }) {
      if (!isObject(told)) return;
      usage = { ...usage, ...known(read(told, counts, request), usage) };
      const served = modesIn(told);
      modes = served.length > 0 ? served : modes;
      if (Array.isArray(told.iterations) && told.iterations.length <= MOST_PASSES)
        iterations = told.iterations.filter(isObject);
    },
    usage: () => usage,
    billing(content) {
      const made = passes();
      const aside = iterations
        .filter(({ type }) => type === 'compaction')
        .map((one) => ({ ...noUsage, ...read(one, counts, request) }))
        .reduce<Usage | undefined>((sum, one) => (sum ? addUsage(sum, one) : one), undefined);
      const known = modes.filter((mode) => mode !== 'other_mode');
      const unpriced: Unpriced[] = [
        ...(known.length < modes.length ? (['other_mode'] as const) : []),
        ...(iterations.some(isOfAnother) ? (['other_model'] as const) : []),
        ...(content.some(runsCode) && !runsForFree(request.serverTools) ? (['code_execution'] as const) : []),
      ];
      const billing = {
        ...(known.length > 0 && { modes: known }),
        ...defined({ aside }),
        ...(made.length > 1 && addsUp(made, usage) && { passes: made }),
        ...(unpriced.length > 0 && { unpriced }),
      };
      return Object.keys(billing).length > 0 ? billing : undefined;
    },
    contextTokens() {
      const made = passes();
      const last = made.at(-1);
      return made.length > 1 && last
        ? last.input + last.cacheRead + last.cacheWrite + last.output
        : undefined;
    },
  };
}

/** `input_tokens` excludes the cached ones. */
function read(told: Json, counts: UsageReader, request: ModelRequest): Partial<Usage> {
  const split = objectAt(told, 'cache_creation');
  const forAnHour = counts.tokensAt(split, 'ephemeral_1h_input_tokens');
  const cacheWrite =
    counts.tokensAt(told, 'cache_creation_input_tokens') ??
    sumOf(forAnHour, counts.tokensAt(split, 'ephemeral_5m_input_tokens'));
  const found = {
    input: counts.tokensAt(told, 'input_tokens'),
    output: counts.tokensAt(told, 'output_tokens'),
    cacheRead: counts.tokensAt(told, 'cache_read_input_tokens'),
    cacheWrite,
    // If the server does not report the lifetime of a cache write, the more expensive hour is assumed when it was
    // requested.
    cacheWrite1h: isObject(told.cache_creation) || !writesForAnHour(request) ? forAnHour : cacheWrite,
    webSearches: counts.tokensAt(objectAt(told, 'server_tool_use'), 'web_search_requests'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, count]) => count !== undefined));
}

const known = (told: Partial<Usage>, before: Partial<Usage>): Partial<Usage> =>
  Object.fromEntries(
    Object.entries(told).filter(([key, count]) => count > 0 || before[key as keyof Usage] === undefined),
  );

const sumOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);

/** How the call was served. The fields are in the API's reference of `usage` (platform.claude.com/docs/en/api/messages). */
function modesIn({
  service_tier: tier,
  speed,
  inference_geo: geo,
}: Json): readonly (ServingMode | 'other_mode')[] {
  return [
    ...modeOf(tier, { standard: undefined, priority: 'priority', batch: 'batch', flex: 'flex' }),
    ...modeOf(speed, { standard: undefined, fast: 'fast' }),
    ...modeOf(geo, { global: undefined, not_available: undefined, us: 'us' }),
  ];
}

function modeOf(
  told: unknown,
  known: Readonly<Record<string, ServingMode | undefined>>,
): readonly (ServingMode | 'other_mode')[] {
  if (typeof told !== 'string') return [];
  if (!Object.hasOwn(known, told)) return ['other_mode'];
  const mode = known[told];
  return mode ? [mode] : [];
}

/** A pass of the model over the context. A compaction is not one: its tokens are not in the reply's usage. */
const isPass = ({ type }: Json): boolean => type === 'message' || type === 'fallback_message';

/** Tokens of another model, which has another price. */
const isOfAnother = ({ type }: Json): boolean => type === 'advisor_message' || type === 'fallback_message';

/** Whether a block is a call that runs in a container of the server. */
const runsCode = ({ type, name }: Block): boolean =>
  type === 'server_tool_use' && typeof name === 'string' && name.endsWith('code_execution');

/** Passes that do not add up to the usage would change its price. */
const addsUp = (passes: readonly Usage[], usage: Partial<Usage>): boolean => {
  const sum = passes.reduce(addUsage);
  return (['input', 'output', 'cacheRead', 'cacheWrite'] as const).every(
    (key) => sum[key] === (usage[key] ?? 0),
  );
};
