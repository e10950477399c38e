import { mediaIn } from '../context/media.ts';
import { readOnce } from '../plain/read-once.ts';
import type { Delta, ModelRequest } from '../ports.ts';
import type { PinnedModel } from '../session/pinned.ts';
import type { ModelOutcome } from '../session/reply.ts';
import type { Step } from './opened.ts';

/** Reads what puts images into a request, once in a process: few sessions have any. */
export const readMedia = readOnce(() => import('./lazy/media.ts'));

/**
 * Asks a model, with what was sent in the place of what stands for it in history. Rejects when that cannot be read.
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
  return io.provider.complete(whole, hear, lease.signal);
}
