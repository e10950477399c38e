/** The state of a task, in words for the model. Pure. */

import { jsonWithDigits } from '../../shared/agent/plain/digits.ts';
import { plainText } from '../../shared/contract/plain-text.ts';
import { type Part, type Task, TaskState } from './client.ts';

/** Most characters of an agent's words in an error or a question. */
const MAX_WORDS = 4_000;

/** The state of a task, as far as its caller must act. */
export type Outcome =
  | { readonly kind: 'works' }
  | { readonly kind: 'asks'; readonly question: string }
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'failed'; readonly why: string };

export function outcomeOf({ status, artifacts }: Task): Outcome {
  const said = textOf(status?.message?.parts ?? []);
  const words = plainText(said, MAX_WORDS);
  const failed = (how: string) => ({
    kind: 'failed' as const,
    why: words === '' ? how : `${how}: ${words}`,
  });
  switch (status?.state) {
    case TaskState.TASK_STATE_SUBMITTED:
    case TaskState.TASK_STATE_WORKING:
      return { kind: 'works' };
    case TaskState.TASK_STATE_COMPLETED: {
      const text = artifacts.map(({ parts }) => textOf(parts)).filter((part) => part !== '');
      return { kind: 'done', text: text.length > 0 ? text.join('\n\n') : said };
    }
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return {
        kind: 'asks',
        question: words === '' ? 'It needs more input, and does not say which.' : words,
      };
    case TaskState.TASK_STATE_AUTH_REQUIRED:
      return failed('wants a login of its own for this task, which cannot be given here');
    case TaskState.TASK_STATE_REJECTED:
      return failed('has rejected the task');
    case TaskState.TASK_STATE_CANCELED:
      return failed('has canceled the task');
    case TaskState.TASK_STATE_FAILED:
      return failed('has failed at the task');
    default:
      return failed('has sent a task without a state');
  }
}

/** Parts as text: data as JSON, and files by their names only. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .map(({ content, filename, mediaType }) => {
      const file = (what: string) =>
        `[a file${filename ? ` ${plainText(filename, 200)}` : ''}${mediaType ? ` (${plainText(mediaType, 100)})` : ''}: ${what}]`;
      switch (content?.$case) {
        case 'text':
          return content.value;
        case 'data':
          return jsonWithDigits(content.value) ?? '';
        case 'url':
          return file(plainText(content.value, 2_000));
        case 'raw':
          return file(`${content.value.length} bytes, not shown`);
        case undefined:
          return '';
        default:
          return content satisfies never;
      }
    })
    .filter((text) => text !== '')
    .join('\n');
}
