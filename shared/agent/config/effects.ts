import type { Level } from './levels.ts';

/** How the protocol treats calls of a tool, by what running it does to the world. */
export interface EffectRules {
  /**
   * The check against HEAD before a call starts (docs/adr/0004-unsafe-calls.md). `nothing`: the call simply runs. `look`: it does
   * not start after an acknowledged cancel. `record`: the same, and its start is recorded before it starts.
   */
  readonly fence: 'nothing' | 'look' | 'record';
  /**
   * Whether a call that a dead worker may have begun runs again, with the same idempotency key. If not, its outcome is unknown.
   */
  readonly rerun: boolean;
  /**
   * Whether it runs at the same time as other calls of its batch. `always`: with all but those that change what it reads.
   * `apart`: with those that it shares nothing with, according to what their tools say they touch. `never`: alone, in the order
   * of the calls.
   */
  readonly overlap: 'always' | 'apart' | 'never';
  /** Whether its result may be reused for an equal call later in the run, if the tool is `cacheable`. */
  readonly cache: boolean;
  /** Whether it changes something: what was read before may be out of date, and guards count it as work that was done. */
  readonly changes: boolean;
  /** How dangerous its calls are, unless the tool says otherwise. */
  readonly level: Level;
}

/**
 * Time in ms within which a call starts after HEAD has allowed it. A process that paused for longer may have been taken for dead
 * meanwhile: an owner asks again, and a worker leaves its call to the next one.
 */
export const STARTS_MS = 5_000;

/**
 * Every effect that a tool may have, with its rules. An effect that leaves a rule out does not compile
 * (`test/unit/core/effects.test.ts`). No other code asks for an effect by name.
 */
export const effects = {
  /** Changes nothing. */
  read: { fence: 'nothing', rerun: true, overlap: 'always', cache: true, changes: false, level: 'safe' },
  /** May be run again with the same idempotency key. */
  idempotent: {
    fence: 'look',
    rerun: true,
    overlap: 'apart',
    cache: false,
    changes: true,
    level: 'moderate',
  },
  /** Must never start twice. */
  once: { fence: 'record', rerun: false, overlap: 'never', cache: false, changes: true, level: 'dangerous' },
} as const satisfies Readonly<Record<string, EffectRules>>;

/** The effect of running a tool on the world, which decides how a crash is recovered. */
export type Effect = keyof typeof effects;

/** The names of all effects, for schemas. */
export const effectNames = Object.keys(effects) as [Effect, ...Effect[]];

/** The rules of an effect. */
export const rulesOfEffect = (effect: Effect): EffectRules => effects[effect];
