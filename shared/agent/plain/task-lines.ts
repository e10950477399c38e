/** A task, as far as its line says it. */
interface Line {
  readonly id: number;
  readonly title: string;
  readonly state: string;
  readonly why?: string;
}

/** A list of tasks as the model reads it, a line each. */
export const taskLines = (tasks: readonly Line[]): string =>
  tasks
    .map(
      ({ id, title, state, why }) => `${id}. [${state.replace('_', ' ')}${why ? `: ${why}` : ''}] ${title}`,
    )
    .join('\n');
