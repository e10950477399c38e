/** The limits of Slack's streams of task cards (docs.slack.dev, chat.startStream and chat.appendStream, "Using the chunks parameter"). */

import { isList, isShort } from './values.ts';

type Args = Readonly<Record<string, string | undefined>>;
type Json = Readonly<Record<string, unknown>>;

/** Characters of each text of a chunk. */
const FIELD = 256;
/** Cards of one plan (docs.slack.dev, "Plan block"). */
export const MOST_CARDS = 50;
const statuses: readonly unknown[] = ['pending', 'in_progress', 'complete', 'error'];

/** A part of a stream. */
export interface StreamedChunk {
  readonly type: 'task_update' | 'plan_update' | 'markdown_text';
  readonly id?: string;
  readonly title?: string;
  readonly status?: string;
  readonly text?: string;
}

/** Slack's error for a call with such chunks. */
export function brokenChunks({ chunks, markdown_text: markdown }: Args): string | undefined {
  if (chunks === undefined) return undefined;
  // NousResearch/hermes-agent#87743.
  if (markdown) return 'cannot_provide_both_markdown_text_and_chunks';
  return isList(JSON.parse(chunks), 1, 100, isChunk) ? undefined : 'invalid_chunks';
}

function isChunk(chunk: unknown): boolean {
  const { type, id, title, status, details = '', output = '', text } = (chunk ?? {}) as Json;
  switch (type) {
    case 'markdown_text':
      return typeof text === 'string';
    case 'plan_update':
      return isShort(title, FIELD) && title !== '';
    case 'task_update':
      return (
        [id, title, details, output].every((one) => isShort(one, FIELD)) &&
        id !== '' &&
        title !== '' &&
        statuses.includes(status)
      );
    default:
      return false;
  }
}

/** docs.slack.dev, "Plan block" and "Task card block". The cards of a plan have no type. */
export function isPlan({ title, tasks = [] }: Json): boolean {
  const ids = new Set((Array.isArray(tasks) ? tasks : []).map((task) => (task as Json | null)?.task_id));
  return (
    isShort(title, FIELD) &&
    title !== '' &&
    isList(tasks, 0, MOST_CARDS, (task) => {
      const { task_id: id, title: name, status } = (task ?? {}) as Json;
      return (
        isShort(id, FIELD) && isShort(name, FIELD) && id !== '' && name !== '' && statuses.includes(status)
      );
    }) &&
    ids.size === (tasks as unknown[]).length
  );
}

/** The cards that people see in a stream: an update replaces the card with its id. */
export class StreamedPlan {
  title = '';
  readonly tasks = new Map<string, { readonly title: string; readonly status: string }>();

  take(chunks: readonly StreamedChunk[]): void {
    for (const { type, id = '', title = '', status = '' } of chunks) {
      if (type === 'plan_update') this.title = title;
      if (type === 'task_update') this.tasks.set(id, { title, status });
    }
  }

  /** As text, a line for each card. */
  toString(): string {
    return [this.title, ...[...this.tasks.values()].map(({ title, status }) => `[${status}] ${title}`)].join(
      '\n',
    );
  }
}
