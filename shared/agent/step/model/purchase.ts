import { type Amount, boughtBy, mostOf, nothing } from '../../budgets/amount.ts';
import type { Exceeded, Reservation } from '../../budgets/reservation.ts';
import { estimateTokens } from '../../context/estimate.ts';
import { Superseded } from '../../plain/superseded.ts';
import type { ModelRequest } from '../../ports/provider.ts';
import type { PinnedModel } from '../../session/pinned.ts';
import type { ModelOutcome } from '../../session/reply.ts';
import type { Step } from '../open/step-context.ts';

/** Reserves what a call of `model` may cost at most. Without a reservation when nothing is limited. */
export async function reserveFor(
  { loaded: { key, view }, io }: Step,
  request: ModelRequest,
  model: PinnedModel,
): Promise<Exceeded | { readonly kind: 'reserved'; readonly reservation?: Reservation }> {
  const amount = mostOf(estimateTokens(request), { ...model, maxTokens: request.maxTokens });
  const reserved = await io.budgets.reserve(key, view.fence.epoch, amount);
  if (reserved.kind === 'superseded') throw new Superseded();
  return reserved;
}

/**
 * Settles with what the call has bought, before its reply is kept: a crash until then leaves too much reserved, never too
 * little. So does a write that fails. What nobody knows stays reserved.
 */
export async function settleWith(
  { io }: Step,
  reservation: Reservation | undefined,
  outcome: ModelOutcome,
  spoke: boolean,
  { price }: PinnedModel,
): Promise<void> {
  const actual = boughtWith(outcome, spoke, price);
  if (reservation && actual) await io.budgets.settle(reservation, actual).catch(() => {});
}

/**
 * What a call has bought, when that is known: a reply that came to its end says so, and a call that failed before the
 * model spoke, or its server told what it has used, is not billed. A stream that broke, or that we cut, was billed for more
 * than it could say.
 */
function boughtWith(outcome: ModelOutcome, spoke: boolean, price: PinnedModel['price']): Amount | undefined {
  if (outcome.kind === 'failed') return spoke || outcome.used ? undefined : nothing;
  return outcome.reply.stop === 'interrupted'
    ? undefined
    : boughtBy(outcome.reply.usage, price, outcome.reply.billing);
}
