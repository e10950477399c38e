/** Ms from which an agent is told that something is late: what the queue and the sweeper need is less. */
export const LATE_MS = 2 * 60_000;

const MINUTE_MS = 60_000;

/** A time span in words, rounded down: `119 minutes`, `3 hours`, `2 days`; below two minutes in seconds. @param ms not negative */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}
