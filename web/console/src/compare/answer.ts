import type { StepDetails, StepInfo } from '../../../client/index.ts';

/** The step of the last reply: its text is the answer, if the run has ended with one. Pure. */
export const lastReply = (steps: readonly StepInfo[]): StepInfo | undefined =>
  steps.findLast(({ kind, stop }) => kind === 'model' && stop !== undefined);

/** The text of a reply, or the input of its calls if it has no text. Pure. */
export function answerOf({ content }: StepDetails): string {
  const said = content.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []));
  if (said.length > 0) return said.join('\n\n');
  const calls = content.filter(({ type }) => type === 'tool_use');
  return calls.map(({ name, input }) => `${String(name)}\n${JSON.stringify(input, null, 2)}`).join('\n\n');
}
