/** How much a call may destroy, from the least on. */
export const levels = ['safe', 'moderate', 'dangerous', 'critical'] as const;
/** One of {@link levels}. */
export type Level = (typeof levels)[number];

/** Whether a level is at most `most`. */
export const isAtMost = (level: Level, most: Level): boolean => levels.indexOf(level) <= levels.indexOf(most);
