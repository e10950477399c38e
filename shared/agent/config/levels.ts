/** How much may be lost by a call, from the least on (T23). */
export const levels = ['safe', 'moderate', 'dangerous', 'critical'] as const;
/** One of {@link levels}. */
export type Level = (typeof levels)[number];

/** Whether a level is that of a call which may lose no more than one of `most`. */
export const isAtMost = (level: Level, most: Level): boolean => levels.indexOf(level) <= levels.indexOf(most);
