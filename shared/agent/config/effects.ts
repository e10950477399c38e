import type { Level } from './levels.ts';

/** What the protocol does about calls of a tool, by what running it does to the world. */
export interface EffectRules {
  /**
   * What is asked of HEAD when a call's turn has come (docs/adr/0004-unsafe-calls.md). `nothing`: it simply runs. `look`: it
   * does not start once a cancel was acknowledged. `record`: neither, and its start is put on record before it starts.
   */
  readonly fence: 'nothing' | 'look' | 'record';
  /** Whether a call that a dead worker may have begun runs again, with the same idempotency key. Else nobody knows its outcome. */
  readonly rerun: boolean;
  /**
   * Whether it runs beside other calls of its batch. `always`: beside all but those that change what it reads. `apart`: beside
   * those that it shares nothing with, as far as their tools say what they touch. `never`: alone, in the order of the calls.
   */
  readonly overlap: 'always' | 'apart' | 'never';
  /** Whether its result may stand for that of an equal call later in the run, where the tool says `cacheable`. */
  readonly cache: boolean;
  /** Whether it changes something: what was read before may not hold any more, and guards count it as work that was done. */
  readonly changes: boolean;
  /** How dangerous its calls are, where the tool does not say (T23). */
  readonly level: Level;
}

/**
 * Time in ms within which a call begins after HEAD has said that it may. Whoever stood still for longer may have been taken for dead
 * meanwhile: an owner asks again, and a worker leaves its call to the next one.
 */
export const STARTS_MS = 5_000;

/**
 * Every effect that a tool may have, and what it means. An effect that leaves one of these open does not compile
 * (`test/unit/core/effects.test.ts`); nothing else in the code asks for an effect by its name.
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

/** What running a tool does to the world, which decides how a crash is recovered. */
export type Effect = keyof typeof effects;

/** The names of all effects, for schemas. */
export const effectNames = Object.keys(effects) as [Effect, ...Effect[]];

/** The rules of an effect. */
export const rulesOfEffect = (effect: Effect): EffectRules => effects[effect];
