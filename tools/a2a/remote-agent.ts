import * as z from 'zod';
import { defineTool, type Tool } from '../../shared/agent/define/index.ts';
import { orMissing } from '../plain/missing.ts';
import { checkOptions, type RemoteAgentOptions, USUAL_WAIT } from './options.ts';

/** Seconds of a call beside its wait: for the card, the message and the last look. */
const BESIDE = 60;

/**
 * A tool that gives tasks to an agent of another system, over A2A (docs/remote-agents.md). Throws with all errors if the options
 * are invalid.
 *
 * @example
 * defineAgent({ …, tools: [remoteAgent({
 *   name: 'travel', when: 'Plan and book a journey.', url: 'https://travel.example.com', auth: { bearer: 'TRAVEL_TOKEN' },
 * })] });
 */
export function remoteAgent(options: RemoteAgentOptions): Tool {
  checkOptions(options);
  const { name, when, url, auth, effect = 'idempotent', approval, waitSeconds = USUAL_WAIT } = options;
  return defineTool({
    name,
    description: `${when}\n\nAn agent of another system does the task, and its answer is the result. Tasks that you give in one reply are worked on at the same time.`,
    effect,
    touches: () => [],
    // Its worker may wait for minutes, so that the step does not.
    where: 'queue',
    poll: true,
    timeoutSeconds: waitSeconds + BESIDE,
    ...(approval !== undefined && { approval }),
    ...(typeof url !== 'string' && { settings: [url.setting] }),
    ...(auth && { secrets: ['bearer' in auth ? auth.bearer : auth.secret] }),
    input: z.object({
      message: z
        .string()
        .min(1)
        .max(100_000)
        .optional()
        .describe(
          'The task, with everything that is needed for it: nothing of this conversation is read. With "task": an answer to its question, or what else is wanted of it.',
        ),
      task: z
        .string()
        .max(100)
        .optional()
        .describe(
          'The id of an earlier task that a result has named. Without a message: looks how far it is.',
        ),
    }),
    run: async (input, context) => (await use()).askRemote(options, input, context),
    stop: async (context) => (await use()).cancelRemote(options, context),
  });
}

const use = () =>
  import('./use.ts').catch((error: unknown) => {
    throw orMissing(error, '@a2a-js/sdk', 'steploop/a2a');
  });
