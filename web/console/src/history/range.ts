/** The numbers of days that the page offers. */
export const ranges = [7, 30, 90] as const;
export type Range = (typeof ranges)[number];

/** The search of the page's address; another number than those is 30. */
export const rangeOf = ({ days }: Readonly<Record<string, unknown>>): { readonly days: Range } => ({
  days: ranges.find((one) => one === Number(days)) ?? 30,
});
