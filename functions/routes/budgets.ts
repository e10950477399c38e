import { isNothing } from '../../shared/agent/budgets/amount.ts';
import { dayOf } from '../../shared/agent/budgets/tenant-budgets.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { type BudgetInfo, TenantLimits } from '../../shared/contract/budgets.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { maySeeAll } from '../../shared/contract/identity.ts';
import { log } from '../../shared/logger.ts';
import { requireAdmin } from '../middleware/authorize.ts';
import { Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import type { Route, RouteContext } from './context.ts';

const MAX_BUDGET_BODY_BYTES = 4 * 1024;
const DAY_MS = 24 * 3_600_000;

/** `GET /budgets`: the daily limits of the caller's tenant, and today's usage. */
export const readBudget: Route = async (_event, caller, context) => {
  if (!maySeeAll(caller))
    throw new Refusal(403, 'Not allowed', {
      detail: 'Only callers who may see all sessions of the tenant may see its budget.',
    });
  return json(200, await budgetOf(caller, context));
};

/** `PUT /budgets`: sets the tenant's own limits, which steps read at their next draw. */
export const setBudget: Route = async (event, caller, context) => {
  requireAdmin(caller);
  const own = jsonBody(event, TenantLimits, MAX_BUDGET_BODY_BYTES);
  if (isNothing(context.tenantLimits))
    throw new Refusal(409, 'Budgets are off', {
      detail:
        'This deployment has no limits, so usage is not counted. Deploy it with a limit for every tenant, however high: docs/budgets.md.',
    });
  const { tenant, subject } = caller;
  await context.budgets.set(tenant, own);
  log('info', 'a budget was set', { tenant, by: subject, ...own });
  return json(200, await budgetOf(caller, context));
};

async function budgetOf(
  { tenant }: Identity,
  { budgets, tenantLimits, io }: RouteContext,
): Promise<BudgetInfo> {
  const now = io.clock.now();
  const day = dayOf(now);
  const isCounted = !isNothing(tenantLimits);
  const [own, used] = await Promise.all([
    budgets.own(tenant),
    isCounted ? budgets.used(tenant, day) : undefined,
  ]);
  const { tokens, microUsd, steps } = tenantLimits;
  return {
    tenant,
    day,
    resetsAt: new Date((Math.floor(now / DAY_MS) + 1) * DAY_MS).toISOString(),
    limits: { tokensPerDay: tokens, usdPerDay: microUsd / 1e6, stepsPerDay: steps, ...own },
    own,
    ...defined({ used }),
  };
}
