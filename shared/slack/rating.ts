/**
 * The buttons with which people rate an answer (docs.slack.dev, "Feedback buttons element"). Slack shows the chosen one as pressed, and
 * reports each click, also of the same button again (slackapi/bolt-python#1435).
 */

import { type Rating, ratings } from '../contract/feedback.ts';
import type { Target } from './api.ts';
import { action } from './blocks.ts';
import { buttonValue } from './button-value.ts';
import type { Block, Outgoing } from './outgoing.ts';
import type { Thread } from './remembered.ts';
import type { Story } from './story.ts';

/**
 * Time in ms for which a stream whose text is complete stays open: only the end of the run says whether the text is its answer.
 * Buttons that come with the end of a stream need no rewriting of the message (NousResearch/hermes-agent#109525).
 */
const END_MS = 3_000;
/** Characters of the text that stands in notifications when a message has blocks. */
const NOTIFIED = 1_000;

/** The block with both buttons. */
function ratingBlock(runId: string, at: Target | undefined): Block {
  const button = (rating: Rating, text: string, label: string) => ({
    text: { type: 'plain_text', text },
    accessibility_label: label,
    value: buttonValue(`${rating}/${runId}`, at),
  });
  return {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: action.rate,
        positive_button: button('good', 'Good answer', 'This answer is good'),
        negative_button: button('bad', 'Bad answer', 'This answer is bad'),
      },
    ],
  };
}

/** Reads the id in the value of one of these buttons (`readButtonValue`); undefined if it is none. */
export function readRating(id: string): { readonly rating: Rating; readonly runId: string } | undefined {
  const [, said, runId] = /^(\w+)\/(.+)$/.exec(id) ?? [];
  const rating = ratings.find((one) => one === said);
  return rating && runId ? { rating, runId } : undefined;
}

/** The buttons below the end of a text, the run's `n`th: only a finished answer has them. */
export function ratingBelow(story: Story, { rating }: Pick<Thread, 'rating'>, n: number): Block | undefined {
  const { rates, ending, said, runId, at } = story;
  const last = said.findLastIndex(({ retracted, text }) => !retracted && text.trim() !== '');
  return rates && rating !== 'never' && ending?.kind === 'done' && n === last
    ? ratingBlock(runId, at)
    : undefined;
}

/** Whether a stream of the run's `n`th text, to which nothing was added since `touched`, waits for the end of the run. */
export const awaitsEnd = (
  { rates, endSeq, said, busy }: Story,
  { rating }: Pick<Thread, 'rating'>,
  n: number,
  sinceMs: number,
): boolean =>
  rates === true &&
  rating !== 'never' &&
  endSeq === undefined &&
  n === said.length - 1 &&
  busy.length === 0 &&
  sinceMs < END_MS;

/** A message in Markdown with the buttons below it. Slack takes no `markdown_text` beside blocks. */
export const withRating = ({ text, markdown = '' }: Outgoing, rating: Block): Outgoing => ({
  text: text.slice(0, NOTIFIED).toWellFormed(),
  blocks: [{ type: 'markdown', text: markdown }, rating],
});
