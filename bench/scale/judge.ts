import { rates } from '../../shared/aws/rates.ts';
import { ACCOUNT, IN_FLIGHT, MAPPING, PARTITION } from './limits.ts';
import { HOUR, type Load, stepsASecond } from './load.ts';
import type { Sampled } from './sample.ts';
import type { Heat } from './table/ledger.ts';
import type { Shared } from './tenant.ts';

/** One number and its limit. */
export interface Row {
  readonly what: string;
  readonly used: number;
  readonly most: number;
  /** The kind of limit: of a key or of the layout, which cannot be raised, or of an account, which AWS raises. */
  readonly of: 'layout' | 'account';
  /** Sessions an hour above which it no longer holds. */
  readonly breaksAt: number;
  /** Why it no longer holds, if the reason is not a number. */
  readonly wrong?: string;
}

/** The result for a layout. */
export interface Verdict {
  readonly rows: readonly Row[];
  /** Per second, over all sessions. */
  readonly messages: number;
  /** USD of one session, without the model. */
  readonly usd: number;
  /** No limit of the layout is exceeded. */
  readonly holds: boolean;
}

/** The number of tenants and lanes. */
export interface Layout {
  readonly tenants: number;
  readonly lanes: number;
}

/** The measurements, at the load or at parts of it. */
export interface Measured {
  readonly sampled: Sampled;
  /** Shared items of one tenant's sessions, and the sessions an hour of that tenant at which they still held. */
  readonly tenant: readonly { readonly shared: Shared; readonly holdsAt: number }[];
}

/** Compares the measurements with the limits. */
export function judge(load: Load, { tenants, lanes }: Layout, { sampled, tenant }: Measured): Verdict {
  const scale = stepsASecond(load) / (sampled.steps / sampled.seconds);
  const perSecond = (n: number) => (n / sampled.seconds) * scale;
  const total = (units: (heat: Heat) => number) =>
    perSecond(sampled.heats.reduce((sum, heat) => sum + units(heat), 0));
  const stepsAtOnce = sampled.stepsAtOnce * scale;
  const inLane = fullestLane(stepsAtOnce, lanes);
  const watched = (load.sessions / HOUR) * load.watched;

  const row = (what: string, used: number, most: number, of: Row['of']): Row => ({
    ...{ what, used, most, of },
    breaksAt: used > 0 ? (load.sessions * most) / used : Number.POSITIVE_INFINITY,
  });
  const keys = sampled.heats.flatMap((heat) =>
    heatRows(heat, heat.own ? 1 : scale).map((one) =>
      heat.own
        ? { ...one, breaksAt: Number.POSITIVE_INFINITY }
        : { ...one, breaksAt: row('', one.used, one.most, one.of).breaksAt },
    ),
  );
  const ofTenants = tenant.flatMap(({ shared, holdsAt }): Row[] => {
    const rows: Omit<Row, 'breaksAt'>[] = shared.heats.flatMap((heat) => heatRows(heat, 1));
    const wrong = shared.wrong === undefined ? [] : [{ ...brokenRow, wrong: shared.wrong }];
    return [...rows, ...wrong].map((one) => ({ ...one, breaksAt: holdsAt * tenants }));
  });
  const rows: Row[] = [
    ...keys,
    ...ofTenants,
    row('steps at once of the fullest lane', inLane, MAPPING, 'layout'),
    row('messages in flight of the fullest lane', inLane, IN_FLIGHT, 'layout'),
    row('steps at once', stepsAtOnce, ACCOUNT.invocations, 'account'),
    row(
      'write units a second of the table',
      total(({ writes }) => writes),
      ACCOUNT.tableWrites,
      'account',
    ),
    row(
      'read units a second of the table',
      total(({ reads }) => reads),
      ACCOUNT.tableReads,
      'account',
    ),
    row('pushes a second', perSecond(sampled.pushes), ACCOUNT.apiRequests, 'account'),
    row('new connections a second', watched, ACCOUNT.newConnections, 'account'),
  ];
  return {
    rows,
    messages: perSecond(sampled.messages),
    usd: usdOf(sampled) * load.steps,
    holds: rows.every(
      ({ of, used, most, wrong }) => of === 'account' || (used <= most && wrong === undefined),
    ),
  };
}

const brokenRow: Row = {
  what: 'a tenant’s own items',
  used: Number.NaN,
  most: Number.NaN,
  of: 'layout',
  breaksAt: 0,
};

/** Writes and reads of the hottest key of a kind. */
function heatRows({ kind, readsASecond, writesASecond }: Heat, scale: number): Omit<Row, 'breaksAt'>[] {
  const of = 'layout' as const;
  return [
    { what: `writes a second: ${kind}`, used: writesASecond * scale, most: PARTITION.writes, of },
    { what: `reads a second: ${kind}`, used: readsASecond * scale, most: PARTITION.reads, of },
  ].filter(({ used }) => used > 0);
}

/** Whether no item of a tenant is too hot. */
export const isCool = ({ heats, wrong }: Shared): boolean =>
  wrong === undefined &&
  heats.every(
    ({ writesASecond, readsASecond }) => writesASecond <= PARTITION.writes && readsASecond <= PARTITION.reads,
  );

/** If this many choose one lane each at random, the number in the fullest lane: the mean, and what 99.99 % of lanes stay below. */
export function fullestLane(all: number, lanes: number): number {
  const mean = all / lanes;
  return lanes === 1 ? mean : mean + 3.7 * Math.sqrt(mean * (1 - 1 / lanes));
}

/** USD of one step: its service calls, and its function of 512 MB. */
function usdOf({ heats, steps, messages, hides, pushes, stepsAtOnce, seconds }: Sampled): number {
  const sum = (units: (heat: Heat) => number) => heats.reduce((all, heat) => all + units(heat), 0);
  // A message is sent, received and deleted.
  const millionths =
    sum(({ writes }) => writes) * rates.writes +
    sum(({ reads }) => reads) * rates.reads +
    (3 * messages + hides) * rates.queueRequests +
    pushes * rates.pushes +
    steps * rates.invocations +
    0.5 * stepsAtOnce * seconds * rates.gbSeconds;
  return millionths / 1e6 / steps;
}
