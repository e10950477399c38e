import { mediaIn } from '../../context/media.ts';
import { readOnce } from '../../plain/read-once.ts';
import { wellFormed } from '../../plain/well-formed.ts';
import type { Delta, ModelRequest } from '../../ports/provider.ts';
import type { PinnedModel } from '../../session/pinned.ts';
import { type ModelOutcome, type Reply, unbroken } from '../../session/reply.ts';
import type { Step } from '../open/step-context.ts';
import { wholeCharacters } from './whole-characters.ts';

/** Reads what puts images into a request, once in a process: few sessions have any. */
export const readMedia = readOnce(() => import('./media.ts'));

/**
 * Asks a model, with what was sent in the place of what stands for it in history. Rejects when that cannot be read. The only door
 * by which replies come in: no lone surrogate passes it, so that history and people get text that every server takes.
 *
 * @param model whom the request is for
 */
export async function complete(
  { io, lease, loaded: { key } }: Step,
  request: ModelRequest,
  model: PinnedModel,
  hear: (delta: Delta) => void,
): Promise<ModelOutcome> {
  const whole = request.messages.some((message) => mediaIn(message).length > 0)
    ? { ...request, messages: await (await readMedia()).withMedia(request.messages, model, key, io.blobs) }
    : request;
  const characters = wholeCharacters(hear);
  const outcome = await io.provider.complete(whole, characters.hear, lease.signal);
  characters.end();
  return outcome.kind === 'reply' ? { ...outcome, reply: wellFormedReply(outcome.reply) } : outcome;
}

/** Signed thinking cannot be changed: what is not well-formed of it could neither be sent back as it is nor repaired, and goes. */
const wellFormedReply = (reply: Reply): Reply => wellFormed({ ...reply, content: unbroken(reply.content) });
