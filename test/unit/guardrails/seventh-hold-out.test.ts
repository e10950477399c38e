import { expect, test } from 'vitest';
import { announcesAction } from '../../../shared/agent/words/announce/announce.ts';
import { announced, ordinary } from './intent-corpus/seventh-hold-out.ts';

test('of announcements from before the rule at least 90 % are caught, and at most 1 in 200 ordinary replies is nudged', () => {
  const caught = announced.filter(announcesAction);
  const nudged = ordinary.filter(announcesAction);
  console.info(
    `seventh hold-out: ${caught.length} of ${announced.length} announcements caught, ${nudged.length} of ${ordinary.length} ordinary replies nudged`,
  );
  if (process.env.SHOW)
    console.info([...announced.filter((t) => !announcesAction(t)), '---', ...nudged].join('\n'));
  expect(caught.length / announced.length).toBeGreaterThanOrEqual(0.9);
  expect(nudged.length / ordinary.length).toBeLessThanOrEqual(1 / 200);
});
