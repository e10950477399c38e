import type { FakeMessage } from './memory-slack.ts';

/** The text of a message as a person reads it: the characters that were inserted to prevent mentions are invisible. */
export const read = ({ text, format }: Pick<FakeMessage, 'text' | 'format'>): string =>
  (format === 'mrkdwn'
    ? text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
    : text
  ).replaceAll('\u200b', '');

/** A message in the last form that a person has read. */
export interface Shown {
  readonly shown: string;
  readonly deleted: boolean;
}

/**
 * Describes how messages differ from the text that they should show, in order. When a message was deleted, it is
 * unknown how far the thread knew that it had arrived, so text from there on may repeat.
 */
export function wrongIn(text: string, all: readonly Shown[]): string | undefined {
  let ends: ReadonlySet<number> = new Set([0]);
  for (const { shown, deleted } of all) {
    const begins = [...ends].filter((at) => text.startsWith(shown, at));
    const upTo = (at: number) => Array.from({ length: shown.length + 1 }, (_, i) => at + i);
    if (begins.length === 0)
      return `after ${[...ends].slice(0, 3).join()} of ${text.length} this does not follow: ${JSON.stringify(shown.slice(0, 60))}`;
    ends = new Set(begins.flatMap((at) => (deleted ? upTo(at) : [at + shown.length])));
  }
  return ends.has(text.length) ? undefined : `the end is missing, from ${[...ends].join()} of ${text.length}`;
}
