import { isCool, judge, type Layout, type Measured, type Verdict } from './judge.ts';
import type { Load } from './load.ts';
import { sample } from './sample.ts';
import { type Shared, tenantBudget, tenantLimits } from './tenant.ts';

export interface ScaleOptions {
  readonly load: Load;
  /** Sessions of the sample. */
  readonly sample: number;
  readonly layouts: readonly Layout[];
  /** Whether tenants have a daily budget. */
  readonly budget: boolean;
  readonly say?: (line: string) => void;
}

/** Measures a sample of the load, and the shared items of tenants at its full rate, and judges each layout. */
export async function benchScale(options: ScaleOptions): Promise<[Layout, Verdict][]> {
  const { load, layouts, budget, say = () => {} } = options;
  say(`running ${options.sample} sessions`);
  const sampled = await sample(load, options.sample / load.sessions, say);
  if (sampled.completed < sampled.sessions) {
    throw new Error(
      `${sampled.sessions - sampled.completed} of ${sampled.sessions} sessions did not end as they should`,
    );
  }
  const ofTenants = new Map<number, Measured['tenant']>();
  const verdicts: [Layout, Verdict][] = [];
  for (const layout of layouts) {
    const { tenants } = layout;
    const tenant =
      ofTenants.get(tenants) ??
      (await ofOneTenant({ ...load, sessions: load.sessions / tenants }, budget, say));
    ofTenants.set(tenants, tenant);
    verdicts.push([layout, judge(load, layout, { sampled, tenant })]);
  }
  return verdicts;
}

async function ofOneTenant(
  load: Load,
  budget: boolean,
  say: (line: string) => void,
): Promise<Measured['tenant']> {
  const measured = [];
  for (const run of budget ? [tenantLimits, tenantBudget] : [tenantLimits]) {
    say(`what ${Math.round(load.sessions)} sessions of one tenant share: ${run.name}`);
    const shared = await run(load);
    measured.push({ shared, holdsAt: await holdsAt(load, shared, run) });
  }
  return measured;
}

/**
 * Sessions an hour at which it holds. If it holds at the load, extrapolated from its hottest key. Otherwise the load's sessions
 * are halved until it holds, and then increased by bisection.
 */
async function holdsAt(load: Load, shared: Shared, run: (load: Load) => Promise<Shared>): Promise<number> {
  if (isCool(shared)) {
    const hottest = Math.max(
      ...shared.heats.map(({ writesASecond, readsASecond }) =>
        Math.max(writesASecond / 1000, readsASecond / 3000),
      ),
    );
    return load.sessions / hottest;
  }
  let [low, high] = [load.sessions / 2, load.sessions];
  const isCoolAt = async (sessions: number) => isCool(await run({ ...load, sessions }));
  while (low > 1 && !(await isCoolAt(low))) [low, high] = [low / 2, low];
  for (let n = 0; n < 2; n++) {
    const middle = (low + high) / 2;
    if (await isCoolAt(middle)) low = middle;
    else high = middle;
  }
  return low;
}
