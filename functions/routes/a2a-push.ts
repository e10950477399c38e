/** Notifications of A2A servers about tasks that calls wait for. Loaded by the first one. */

import * as z from 'zod';
import type { LateAnswer } from '../../shared/agent/entrypoints/answer.ts';
import { Refusal } from '../middleware/problem.ts';

/** Largest notification in bytes: servers of 0.3 send the task with its artifacts. */
export const MAX_PUSH_BYTES = 5_000_000;

const status = z.object({ state: z.string() });

/** Version 1.0 sends an event in one of its forms (specification, "StreamResponse"), 0.3 the task or an event itself. */
export const PushBody = z.object({
  task: z.object({ status: status.optional() }).optional(),
  statusUpdate: z.object({ status: status.optional() }).optional(),
  status: status.optional(),
});

/** States in which a task waits for its client, or has ended. */
const atRest = ['completed', 'failed', 'canceled', 'rejected', 'input-required', 'auth-required'];

/**
 * The answer for the call that waits for the task; undefined while the task goes on. It says only that there is something to read:
 * the agent itself is asked for it, over the guarded way of its tool.
 *
 * @param name of the task, for the model
 */
export function pushedAnswer(
  { task, statusUpdate, status: own }: z.output<typeof PushBody>,
  name: string,
): LateAnswer | undefined {
  if (!/^[0-9a-f]{12}$/.test(name))
    throw new Refusal(400, 'Invalid query', { detail: 'Send to the URL as it was given.' });
  const { state = '' } = task?.status ?? statusUpdate?.status ?? own ?? {};
  const said = state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return atRest.includes(said)
    ? {
        result: `The agent says that the task is ${said}. Call the tool with { "task": "${name}" } to read what it has come to.`,
      }
    : undefined;
}
