/** Checks of values that Slack limits. */

export const isShort = (value: unknown, most: number): boolean =>
  typeof value === 'string' && value.length <= most;

export const isList = (
  value: unknown,
  least: number,
  most: number,
  each: (one: unknown) => boolean,
): boolean => Array.isArray(value) && value.length >= least && value.length <= most && value.every(each);

export const isText = (value: unknown, most: number): boolean => {
  const { type, text } = (value ?? {}) as Record<string, unknown>;
  return (type === 'mrkdwn' || type === 'plain_text') && isShort(text, most) && text !== '';
};
