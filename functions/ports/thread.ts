import type { Meter } from '../../shared/agent/ports/meter.ts';

/** Watches the thread where many invocations share it, and names in the log the calls that hold it. */
export function sharedThread(): Pick<Meter, 'calling'> {
  if (process.env.AWS_LAMBDA_INITIALIZATION_TYPE !== 'lambda-managed-instances') return {};
  const watched = import('../../shared/aws/thread.ts').then(({ watchThread }) => watchThread(process.env));
  return { calling: async (call, run) => (await watched).calling(call, run) };
}
