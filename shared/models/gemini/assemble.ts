import type { Assembly } from '../../agent/define/provider.ts';
import type { ModelRequest } from '../../agent/ports/provider.ts';
import { type Reply, withoutCalls } from '../../agent/session/reply.ts';
import { assemble as assembleMessage } from '../anthropic/assemble.ts';
import { type Json, objectAt, stringAt } from '../common/json.ts';

/** Builds a reply from the events of `stream.ts`: one of the Messages API, but for calls that the model has written wrongly. */
export function assemble(request: ModelRequest): Assembly {
  const message = assembleMessage(request);
  let wrong: WrongCall | undefined;
  return {
    ...message,
    take(event) {
      wrong ??= wrongCallIn(event);
      return message.take(event);
    },
    whole() {
      const reply = message.whole();
      return reply && wrong ? withWrong(reply, wrong) : reply;
    },
  };
}

interface WrongCall {
  readonly reason: string;
  /** The server's words about it, with the call as the model wrote it. */
  readonly said: string;
}

/** Reasons that mean a call in a form that is none, or to no tool (google-gemini/gemini-cli#12674, epam/ai-dial-adapter-vertexai#325). */
const MALFORMED = 'MALFORMED_FUNCTION_CALL';
const UNEXPECTED = 'UNEXPECTED_TOOL_CALL';

function wrongCallIn(event: Json): WrongCall | undefined {
  if (event.type !== 'message_delta') return undefined;
  const delta = objectAt(event, 'delta');
  const reason = stringAt(delta, 'stop_reason');
  if (reason !== MALFORMED && reason !== UNEXPECTED) return undefined;
  return { reason, said: stringAt(objectAt(delta, 'stop_details'), 'message') ?? reason };
}

/**
 * The server calls all of a malformed reply unusable, so no call of it runs (NousResearch/hermes-agent#83886). A call to an
 * unknown tool runs if the reply has it: the model reads why it failed.
 */
function withWrong(reply: Reply, { reason, said }: WrongCall): Reply {
  if (reason === UNEXPECTED && reply.calls.length > 0) return reply;
  return { ...withoutCalls(reply), malformed: said };
}
