import type { StopContext } from '../../shared/agent/define/index.ts';
import { bookOf, taskNameOf } from './book.ts';
import { connect } from './connect.ts';
import { failureOf } from './failures.ts';
import type { RemoteAgentOptions } from './options.ts';

/** Cancels the task of a call, if the agent has named one. Rejects with a sentence if the agent does not answer, or refuses. */
export async function cancelRemote(
  options: RemoteAgentOptions,
  context: StopContext<string, string>,
): Promise<void> {
  const entry = await bookOf(options.name, context.services).get(taskNameOf(context.idempotencyKey));
  if (entry?.taskId === undefined) return;
  let secret: string | undefined;
  try {
    const { client, wire } = await connect(options, context);
    secret = wire.secret;
    await client.cancelTask(
      { tenant: '', id: entry.taskId, metadata: undefined },
      { signal: context.signal },
    );
  } catch (error) {
    throw failureOf(options.name, error, secret);
  }
}
