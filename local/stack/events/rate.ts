const UNITS: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** The interval of a `rate(5 minutes)` expression in milliseconds. Throws for other expressions: cron(...) and at(...) are not emulated. */
export function rateMs(expression: string): number {
  const match = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression.trim());
  const unit = UNITS[match?.[2] ?? ''];
  const count = Number(match?.[1] ?? 0);
  if (unit === undefined || count < 1) {
    throw new Error(`schedule expression ${expression} is not supported: use rate(<n> minutes|hours|days)`);
  }
  return count * unit;
}
