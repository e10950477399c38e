/** Scorers for a triage, in addition to the general ones. */

import { type Scorer, scorer } from 'steploop/evals';

type Played = Parameters<Scorer['score']>[0];

const inputsOf = <Input>({ calls }: Played, tool: string): Input[] =>
  calls.filter(({ name, outcome }) => name === tool && outcome === 'ok').map(({ input }) => input as Input);

/** The issue gets all of these labels, and at most three in total. The score is the share of labels, wanted or added, that is right. */
export const labels = (...wanted: readonly string[]): Scorer =>
  scorer('labels', (played) => {
    const added = inputsOf<{ labels: string[] }>(played, 'add_labels').flatMap((input) => input.labels);
    const right = wanted.filter((name) => added.includes(name)).length;
    const passed = right === wanted.length && new Set(added).size <= 3;
    const score = right / Math.max(1, new Set([...wanted, ...added]).size);
    return {
      score,
      passed,
      ...(!passed && { why: `It added ${added.join(', ') || 'none'}; right were ${wanted.join(', ')}.` }),
    };
  });

/** The agent does not try to add this label. */
export const unlabelled = (unwanted: string): Scorer =>
  scorer(
    `not ${unwanted}`,
    ({ calls }) => !calls.some(({ input }) => JSON.stringify(input).includes(`"${unwanted}"`)),
  );

/** The agent writes one comment that has all of these, and promises nothing. */
export const says = (...wanted: readonly (string | RegExp)[]): Scorer =>
  scorer('comment', (played) => {
    const texts = inputsOf<{ text: string }>(played, 'comment').map(({ text }) => text);
    const [text = ''] = texts;
    const missing = wanted.filter((one) => text.search(one) < 0);
    const promises = /\b(?:will be fixed|we will fix|by (?:monday|friday|tomorrow|next week))\b/i.test(text);
    const passed = texts.length === 1 && missing.length === 0 && !promises;
    const right = 1 - missing.length / Math.max(1, wanted.length);
    return {
      score: texts.length === 1 && !promises ? right : 0,
      passed,
      ...(!passed && {
        why: promises
          ? 'It promises something.'
          : `${texts.length} comments; the first lacks ${missing.join(', ') || 'nothing'}.`,
      }),
    };
  });
