import { type Amount, nothing } from '../../budgets/amount.ts';
import { boughtBy, mostOf } from '../../budgets/purchase.ts';
import type { Exceeded, Reservation } from '../../budgets/reservation.ts';
import { SHAPE } from '../../config/shape.ts';
import { estimateTokens } from '../../context/estimate.ts';
import { Superseded } from '../../plain/superseded.ts';
import type { ModelRequest } from '../../ports/provider.ts';
import type { PinnedModel } from '../../session/pinned.ts';
import type { ModelOutcome } from '../../session/reply.ts';
import type { Step } from '../open/step-context.ts';

/** Reserves the maximum cost of a call of `model`. Reserves nothing if there is no limit. */
export async function reserveFor(
  { loaded: { key, view }, io }: Pick<Step, 'loaded' | 'io'>,
  request: ModelRequest,
  model: PinnedModel,
): Promise<Exceeded | { readonly kind: 'reserved'; readonly reservation?: Reservation }> {
  // The reply of a shape is not bought: it counts as a step.
  const amount =
    model.provider === SHAPE
      ? mostOf(0, { ...model, maxTokens: 0 })
      : mostOf(estimateTokens(request), { ...model, maxTokens: request.maxTokens });
  const reserved = await io.budgets.reserve(key, view.fence.epoch, amount);
  if (reserved.kind === 'superseded') throw new Superseded();
  return reserved;
}

/**
 * Settles the actual cost of the call before its reply is stored: a crash before that, or a failed write, leaves too much
 * reserved, never too little. If the cost is unknown, it stays reserved.
 */
export async function settleWith(
  { io }: Pick<Step, 'io'>,
  reservation: Reservation | undefined,
  outcome: ModelOutcome,
  spoke: boolean,
  { price }: PinnedModel,
): Promise<void> {
  const actual = boughtWith(outcome, spoke, price);
  if (reservation && actual) await io.budgets.settle(reservation, actual).catch(() => {});
}

/**
 * The cost of a call, if it is known. A complete reply says it. A call that failed before the model began to reply, and before
 * its server reported usage, is not billed. A stream that broke, or that we cut, was billed for more than it could report.
 */
function boughtWith(outcome: ModelOutcome, spoke: boolean, price: PinnedModel['price']): Amount | undefined {
  if (outcome.kind === 'failed') return spoke || outcome.used ? undefined : nothing;
  return outcome.reply.stop === 'interrupted'
    ? undefined
    : boughtBy(outcome.reply.usage, price, outcome.reply.billing);
}
