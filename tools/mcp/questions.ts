import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { McpServerOptions } from './options.ts';

/** What a server may ask in the midst of a call. */
export const capabilitiesOf = ({ elicitation = true, sampling }: McpServerOptions): ClientCapabilities => ({
  ...(elicitation && { elicitation: { form: {}, url: {} } }),
  ...(sampling === 'person' && { sampling: {} }),
});
