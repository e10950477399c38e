import type { Reply } from '../session/reply.ts';
import type { ToolCall } from '../session/slots.ts';
import { calledThrough } from './repairs/called-through.ts';
import { nameAsMeant } from './repairs/name.ts';
import { ownKeys } from './repairs/own-keys.ts';
import type { Repair, ToolsRead } from './repairs/repair.ts';
import { valuesAsMeant } from './repairs/values.ts';
import { inputAsMeant } from './repairs/whole-input.ts';

/**
 * In order: each repair reads the result of the one before it, and returns the same call if there is nothing to repair. The name
 * comes first, since the others look up the schema of its tool. A call through the tool that calls others is a call of another
 * tool from then on, so its name and input are read again. Its own keys come last, since that schema has those of the form.
 */
const called: readonly Repair[] = [nameAsMeant, inputAsMeant];
const repairs: readonly Repair[] = [...called, calledThrough, ...called, valuesAsMeant, ownKeys];

/**
 * The reply with its calls as they will run. Done once, when the reply arrives, and stored beside the content
 * (`StoredReply.read`). The content itself goes back to the model's server as the model wrote it. Pure.
 *
 * @param pinned tools that the model was offered
 */
export function readCalls(reply: Reply, pinned: ToolsRead): Reply {
  const calls = reply.calls.map((call) => repairs.reduce((read, repair) => repair(read, pinned), call));
  const read = calls.filter((call: ToolCall, i) => call !== reply.calls[i]);
  return read.length > 0 ? { ...reply, calls, read } : reply;
}
