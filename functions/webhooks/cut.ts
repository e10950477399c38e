import { MAX_TEXT } from '../../shared/contract/message.ts';

/** A text from elsewhere may be larger than a message. The model is told that it was cut. `after` is short, and stays whole. */
export function cutToMax(text: string, after: string): string {
  const room = MAX_TEXT - (after === '' ? 0 : after.length + 2);
  return [cutTo(text, room), after].filter((part) => part !== '').join('\n\n');
}

function cutTo(text: string, most: number): string {
  if (text.length <= most) return text;
  const mark = `\n[cut: the whole has ${text.length} characters]`;
  return text.slice(0, most - mark.length).toWellFormed() + mark;
}
