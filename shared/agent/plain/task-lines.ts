/** The parts of a task that its line shows. */
interface Line {
  readonly id: number;
  readonly title: string;
  readonly state: string;
  readonly why?: string;
}

/** A list of tasks as the model reads it, one line each. */
export const taskLines = (tasks: readonly Line[]): string =>
  tasks
    .map(
      ({ id, title, state, why }) => `${id}. [${state.replace('_', ' ')}${why ? `: ${why}` : ''}] ${title}`,
    )
    .join('\n');
