import * as z from 'zod';
import { defineTool } from './tool.ts';

/** The name of the tool that writes to agents in the background. */
const SEND_TO = 'send_to';

const input = z.object({
  agent: z.string().min(1).max(200).describe('Its session, as the call that has begun it says.'),
  message: z.string().min(1).max(20_000),
});

/** The tool with which a model writes to agents that work for it in the background, if it may begin any (docs/children.md). */
export const sendToFor = (delegates: Readonly<Record<string, { readonly background: boolean }>>) =>
  Object.values(delegates).some(({ background }) => background)
    ? [
        Object.freeze({
          ...defineTool({
            name: SEND_TO,
            description:
              'Sends a message to an agent that works for you in the background. It reads the message at its next step. No answer comes but its report.',
            // The same call sends the same message, so it may be made again.
            effect: 'idempotent',
            input,
            run: () => undefined,
          }),
          sends: true as const,
        }),
      ]
    : [];
