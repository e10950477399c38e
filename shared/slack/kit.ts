/** Parts of Block Kit (docs.slack.dev, "Blocks"), as plain data. */

import { defined } from '../agent/plain/defined.ts';
import type { Block } from './outgoing.ts';

export interface Section extends Block {
  readonly text: { readonly type: 'mrkdwn'; readonly text: string; readonly verbatim: true };
}

/** Verbatim: Slack does not turn text that looks like a link into one. */
export const section = (text: string): Section => ({
  type: 'section',
  text: { type: 'mrkdwn', text, verbatim: true },
});
export const header = (text: string): Block => ({ type: 'header', text: { type: 'plain_text', text } });
export const context = (text: string): Block => ({ type: 'context', elements: [{ type: 'mrkdwn', text }] });
export const actions = (...elements: Block[]): Block => ({ type: 'actions', elements });
export const button = (text: string, id: string, value: string, style?: 'primary' | 'danger'): Block => ({
  type: 'button',
  action_id: id,
  text: { type: 'plain_text', text },
  value,
  ...defined({ style }),
});

export const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
export const clipped = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
