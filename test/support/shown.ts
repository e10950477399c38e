import type { FakeMessage } from './memory-slack.ts';

/** What a person reads in a message: what was put between characters against calls is not seen. */
export const read = ({ text, format }: Pick<FakeMessage, 'text' | 'format'>): string =>
  (format === 'mrkdwn'
    ? text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
    : text
  ).replaceAll('\u200b', '');

/** A message as a person has read it last. */
export interface Shown {
  readonly shown: string;
  readonly deleted: boolean;
}

/**
 * What is wrong with messages that are to be the text, in order. Of one that was deleted it is not known how far the
 * thread knew that it had come: from there on it may be said again.
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
