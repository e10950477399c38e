import { mediaIn } from '../../context/media.ts';
import { readOnce } from '../../plain/read-once.ts';
import { wellFormed } from '../../plain/well-formed.ts';
import type { Delta, ModelRequest } from '../../ports/provider.ts';
import type { PinnedModel } from '../../session/pinned.ts';
import { type ModelOutcome, type Reply, unbroken } from '../../session/reply.ts';
import type { Step } from '../open/step-context.ts';
import { wholeCharacters } from './whole-characters.ts';

/** Loads the code that puts images into a request: few sessions have any. */
export const readMedia = readOnce(() => import('./media.ts'));

/**
 * Asks a model, with media in the place of their placeholders in history. Rejects if stored media cannot be read. Every reply
 * comes in here, and no lone surrogate passes, so history and people get text that every server accepts.
 *
 * @param model the model that the request is for
 */
export async function complete(
  { io, lease, loaded: { key } }: Pick<Step, 'io' | 'lease' | 'loaded'>,
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

/** Signed thinking cannot be changed. A block of it that is not well-formed could neither be sent back nor repaired, so it is dropped. */
const wellFormedReply = (reply: Reply): Reply => wellFormed({ ...reply, content: unbroken(reply.content) });
