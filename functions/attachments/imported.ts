import { HistoryFault, type Media, type Turn } from '../../shared/agent/history/turns.ts';
import { keepSent } from '../../shared/agent/media/keep.ts';
import { plainName } from '../../shared/agent/media/name.ts';
import type { Attachment } from '../../shared/agent/session/attachments.ts';
import type { KeepContext } from './best.ts';
import { bytesOfBase64 } from './fetch.ts';

/** Most images and documents that one import may have. */
const MAX_MEDIA = 100;

/**
 * Keeps all bytes of a conversation as content of its session, before any slot names them. Repeating it has the same result.
 * Throws {@link HistoryFault} for the first part that cannot be used.
 */
export async function keepImported(
  turns: readonly Turn[],
  { key, limits, blobs }: KeepContext,
): Promise<ReadonlyMap<Media, Attachment>> {
  const kept = new Map<Media, Attachment>();
  for (const { at, media } of turns.flatMap(mediaIn)) {
    if (kept.size === MAX_MEDIA)
      throw new HistoryFault(at, `an import has at most ${MAX_MEDIA} images and documents.`);
    const name = plainName(media.name);
    const bytes = bytesOfBase64(media.base64);
    const one = bytes
      ? await keepSent({ name, bytes, as: media.as }, key, limits.fileBytes, blobs)
      : 'It is not valid base64.';
    if (typeof one === 'string')
      throw new HistoryFault(at, `${JSON.stringify(name)} cannot be imported as ${media.as}. ${one}`);
    kept.set(media, one);
  }
  return kept;
}

function mediaIn(turn: Turn): { readonly at: number; readonly media: Media }[] {
  const { at } = turn;
  switch (turn.kind) {
    case 'user':
      return turn.parts.flatMap((part) => ('media' in part ? [{ at, media: part.media }] : []));
    case 'reply':
      return [];
    case 'results':
      return turn.results.flatMap(({ media = [] }) => media.map((one) => ({ at, media: one })));
    default:
      return turn satisfies never;
  }
}
