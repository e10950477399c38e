import type * as z from 'zod';
import { addUsd, fromNano, showUsd, toNano } from '../../../contract/money.ts';
import type { Totals } from '../../../contract/session.ts';
import type { Budget } from '../../config/budget.ts';
import type { Limits } from '../../config/limits.ts';
import type { Cap } from '../../session/parent.ts';
import type { Reply } from '../../session/reply.ts';
import { type Session, totalTokens } from '../../session/session.ts';
import type { Coded, Halt, Warn } from '../../session/verdict.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn, type CodesOf } from '../guard-codes.ts';
import { counted } from './accounting.ts';

type Config = Omit<z.output<typeof Budget>, 'chargeLostAttempts'>;
type BudgetLimits = Pick<Limits, 'tokenBudget' | 'costLimitUsd' | 'scope'>;
type Reserve = Pick<Config, 'reserveTokens' | 'reserveCostFraction'>;

type State = {
  /** Each warning is given once. */
  warned: boolean;
  softWarned: boolean;
  priceWarned: boolean;
  passedWarned: boolean;
  /** The grant of recovery is spent. */
  recovered: boolean;
  /** The limit was reached, and the model may write one last message. */
  lastWord: boolean;
};

/**
 * Ends a run whose tokens or dollars have reached their limit, and warns before. Checked before the model is called, and after
 * its reply is accounted, before any tool runs.
 *
 * @param priced whether the price of each of its models is known: without it the dollar limit may never fire, and the run says so
 * once
 */
export const budgetGuard = (limits: BudgetLimits, config: Config, priced: boolean) =>
  builtIn<'budget', State>({
    name: 'budget',
    scope: 'run',
    initial: {
      warned: false,
      softWarned: false,
      priceWarned: false,
      passedWarned: false,
      recovered: false,
      lastWord: false,
    },
    hooks: {
      preflight: (state, { session, shrinks }) => {
        const totals = spent(session, limits, config);
        const over = exceeded(totals, limits, config, state.recovered);
        if (over && config.enforcement === 'strict') {
          const worked = config.onExceeded === 'wrap_up' && (session.run?.steps ?? 0) > 0;
          if (!state.lastWord && mayGrant(state, totals, limits, config) && shrinks())
            return { state: { ...state, recovered: true }, verdict: granted(config) };
          // Also for a run that reached the limit through lost or failed attempts; a run that has not begun has nothing to say.
          if (!state.lastWord && !worked) return { verdict: over };
          return {
            state: { ...state, lastWord: true },
            verdict: { kind: 'text_only', code: over.code, text: guardTexts.budgetSpent, ending: over },
          };
        }
        if (shareOf(totals.tokens, limits.tokenBudget) >= (config.forceTextAt || Number.POSITIVE_INFINITY)) {
          return { verdict: { kind: 'text_only', code: 'force_text', text: guardTexts.budgetLow } };
        }
        if (limits.costLimitUsd > 0 && !priced && !state.priceWarned) {
          return { state: { ...state, priceWarned: true }, verdict: noPrice };
        }
        return undefined;
      },
      reply: (state, { session, reply, shrinks }) => {
        const totals = spent(session, limits, config, reply);
        const over = exceeded(totals, limits, config, state.recovered);
        if (over && config.enforcement === 'strict') {
          // The next step decides whether it is granted, because it knows the results as well.
          if (mayGrant(state, totals, limits, config) && shrinks()) return undefined;
          if (config.onExceeded === 'halt') return { verdict: over };
          const lastWord = { ...state, lastWord: true };
          // A reply of only text may be the last message; if it is sent back, the next one is.
          if (reply.calls.length === 0) return { state: lastWord };
          const { code, message } = over;
          return { state: lastWord, verdict: { kind: 'skip_calls', code, message } };
        }
        return warnings(state, totals, limits, config, over);
      },
    },
  });

/** The rest of a session’s limits, if they end its runs. A limit that is absent does not exist. */
export function leftOf(session: Session, limits: BudgetLimits, config: Config): Cap {
  if (config.enforcement !== 'strict') return {};
  const { tokens, costUsd } = spent(session, limits, config);
  const dollars = limitNano(limits);
  return {
    ...(limits.tokenBudget > 0 && { tokens: Math.max(0, limits.tokenBudget - tokens) }),
    ...(dollars > 0 && { usd: fromNano(Math.max(0, dollars - toNano(costUsd))) }),
  };
}

/** Whether little is left. A limit of 0 never triggers its half of the check. */
export function nearBudget(totals: Spent, limits: BudgetLimits, reserve: Reserve): boolean {
  const { tokenBudget } = limits;
  const dollars = limitNano(limits);
  const fewTokens = tokenBudget > 0 && tokenBudget - totals.tokens <= reserve.reserveTokens;
  const fewDollars =
    dollars > 0 && dollars - toNano(totals.costUsd) <= partOf(dollars, reserve.reserveCostFraction);
  return fewTokens || fewDollars;
}

/** The warnings of a run, each once and one a step: limit passed and not enforced, near the limit, soft limit. */
function warnings(
  state: State,
  totals: Spent,
  limits: BudgetLimits,
  config: Config,
  over: Pick<Halt, 'message'> | undefined,
): { state: State; verdict: Coded<Warn, CodesOf<'budget', 'warn'>> } | undefined {
  if (over && !state.passedWarned) {
    return { state: { ...state, passedWarned: true }, verdict: warn('budget_passed', over.message) };
  }
  if (!state.warned && nearBudget(totals, limits, config)) {
    const message = `Near the budget: ${usedOf(totals, limits)}.`;
    return { state: { ...state, warned: true, softWarned: true }, verdict: warn('near_budget', message) };
  }
  const share = Math.max(
    shareOf(totals.tokens, limits.tokenBudget),
    shareOf(toNano(totals.costUsd), limitNano(limits)),
  );
  if (config.soft > 0 && !state.softWarned && share >= config.soft) {
    const message = `Past ${Math.round(config.soft * 100)} % of the budget: ${usedOf(totals, limits)}.`;
    return { state: { ...state, softWarned: true }, verdict: warn('soft_limit', message) };
  }
  return undefined;
}

/** The amounts that count against the limits. */
type Spent = Pick<Totals, 'costUsd' | 'estimated'> & { readonly tokens: number };

function spent(
  session: Session,
  { scope }: BudgetLimits,
  config: Pick<Config, 'accounting' | 'include'>,
  reply?: Reply,
): Spent {
  const ofRun = scope === 'run' && session.run;
  const totals = ofRun ? ofRun.totals : session.totals;
  const { estimated } = totals;
  const costUsd = dollarsOf(totals, config);
  if (config.accounting === 'full') return { tokens: totalTokens(totals), costUsd, estimated };
  const { run, session: all } = counted(session, reply);
  // Children count by themselves, and tell their totals.
  const delegated = session.run?.delegated ? totalTokens(session.run.delegated) : 0;
  return { tokens: (ofRun ? run : all) + delegated, costUsd, estimated };
}

/** Definitions from before `include` count only models. */
const dollarsOf = ({ costUsd, infraUsd = 0 }: Totals, { include = ['model'] }: Pick<Config, 'include'>) =>
  addUsd(include.includes('model') ? costUsd : 0, include.includes('infrastructure') ? infraUsd : 0);

/**
 * Tokens first, then dollars. Reaching the limit counts as over it. A grant raises both. All comparisons use whole numbers:
 * tokens, and billionths of a dollar.
 */
function exceeded(
  totals: Spent,
  limits: BudgetLimits,
  config: Config,
  granted: boolean,
): Coded<Halt, 'token_budget' | 'cost_limit'> | undefined {
  const raised = (limit: number) => limit + (granted ? partOf(limit, config.recoverGrant) : 0);
  const tokens = raised(limits.tokenBudget);
  const dollars = raised(limitNano(limits));
  const halt = { kind: 'halt', state: 'budget_exceeded' } as const;
  if (tokens > 0 && totals.tokens >= tokens) {
    const message = `${totals.tokens} of ${Math.floor(tokens)} tokens are used${estimatedIn(totals)}.`;
    return { ...halt, reason: 'token_budget', code: 'token_budget', message };
  }
  if (dollars > 0 && toNano(totals.costUsd) >= dollars) {
    const message = `${showUsd(totals.costUsd)} of ${showUsd(fromNano(dollars))} are spent${estimatedIn(totals)}.`;
    return { ...halt, reason: 'cost_limit', code: 'cost_limit', message };
  }
  return undefined;
}

/** A step that has passed even the raised limit gets no grant. */
const mayGrant = (state: State, totals: Spent, limits: BudgetLimits, config: Config): boolean =>
  config.recover && !state.recovered && !exceeded(totals, limits, config, true);

/** The dollar limit in billionths; a smaller limit still counts as a limit. */
const limitNano = ({ costLimitUsd }: BudgetLimits): number =>
  costLimitUsd > 0 ? Math.max(1, toNano(costLimitUsd)) : 0;

/** A share of a limit, without floating-point residue. */
const partOf = (limit: number, share: number): number => Number((limit * share).toFixed(6));

const shareOf = (used: number, limit: number): number => (limit > 0 ? used / limit : 0);

const usedOf = (totals: Spent, { tokenBudget, costLimitUsd }: BudgetLimits): string =>
  `${totals.tokens} tokens and ${showUsd(totals.costUsd)} used of ${tokenBudget || 'unlimited'} tokens and ${costLimitUsd > 0 ? showUsd(costLimitUsd) : 'unlimited dollars'}${estimatedIn(totals)}`;

const estimatedIn = ({ estimated }: Spent): string => (estimated ? ', by an estimate' : '');

const warn = <Code extends string>(code: Code, message: string): Coded<Warn, Code> => ({
  kind: 'warn',
  code,
  message,
});

const granted = ({ recoverGrant }: Config) => ({
  ...warn(
    'budget_recovered',
    `The budget is reached, and raised once by ${Math.round(recoverGrant * 100)} %, for a smaller context.`,
  ),
  fold: 'budget' as const,
});

const noPrice = warn(
  'no_price',
  'The price of a model is not known, so its calls count as nothing: the dollar limit of this run cannot be relied on.',
);
