/** A part of a stream of task cards (docs.slack.dev, chat.appendStream, "Using the chunks parameter"). */
export type Chunk =
  | { readonly type: 'plan_update'; readonly title: string }
  | { readonly type: 'task_update'; readonly id: string; readonly title: string; readonly status: string };
