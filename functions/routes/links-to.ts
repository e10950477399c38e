import { contentKey } from '../../shared/agent/workspace/content.ts';
import type { AttachmentInfo } from '../../shared/contract/message.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Links } from '../../shared/edge/links.ts';

/** How long a link is good that stands among messages, in seconds: who looks later asks again. */
const LINK_SECONDS = 3_600;

/** Links to the bytes of what was sent, by hash, that a browser may show. */
export async function linksTo(
  attachments: readonly Pick<AttachmentInfo, 'hash' | 'name' | 'mediaType'>[],
  key: SessionKey,
  links: Pick<Links, 'downloadFrom'>,
): Promise<ReadonlyMap<string, string>> {
  const signed = attachments.map(async ({ hash, name, mediaType }) => {
    const what = { name, mediaType, inline: true, seconds: LINK_SECONDS };
    return [hash, await links.downloadFrom(contentKey(key, hash), what)] as const;
  });
  return new Map(await Promise.all(signed));
}
