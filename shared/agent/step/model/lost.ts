import type { Totals } from '../../../contract/session.ts';
import { estimateTokens } from '../../context/estimate.ts';
import { defined } from '../../plain/defined.ts';
import type { ModelRequest } from '../../ports/provider.ts';
import { addTotals, billOf, totalsOf } from '../../session/cost.ts';
import type { PinnedModel } from '../../session/pinned.ts';
import type { Used } from '../../session/reply.ts';
import { noUsage } from '../../session/session.ts';
import type { Step } from '../open/step-context.ts';

/** Usage that was charged in vain. */
export interface Lost {
  readonly lost?: Totals;
}

/**
 * The probable cost of dead attempts at this step: their estimated input, once for each. They are charged because the provider
 * has charged them (docs/recovery.md).
 */
export function lostAttempts(
  { loaded }: Pick<Step, 'loaded'>,
  request: ModelRequest,
  { price }: PinnedModel,
): Lost {
  const died = loaded.view.attempts - 1;
  if (died === 0 || !loaded.pinned.guardrails.budget.chargeLostAttempts) return {};
  const usage = { ...noUsage, input: estimateTokens(request) };
  const once = totalsOf({ usage, estimated: true }, billOf(usage, price));
  return { lost: Array.from({ length: died }, () => once).reduce(addTotals) };
}

/** The usage of a call that broke is lost, like that of a dead attempt: it is charged, and stored with the input. */
export function withUsed(
  used: Used | undefined,
  { lost }: Lost,
  { price }: PinnedModel,
): Lost & { readonly used?: Totals } {
  if (!used || Object.values(used.usage).every((tokens) => tokens === 0)) return { ...defined({ lost }) };
  const call = totalsOf(used, billOf(used.usage, price, used.billing));
  return { used: call, lost: lost ? addTotals(lost, call) : call };
}
