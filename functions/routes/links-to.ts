import { contentKey } from '../../shared/agent/workspace/content.ts';
import type { AttachmentInfo } from '../../shared/contract/message.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Links } from '../../shared/edge/links.ts';

/** How long a link inside a message is valid, in seconds; a later reader fetches the messages again. */
const LINK_SECONDS = 3_600;

/** Links to the bytes of attachments that a browser may show, by hash. */
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
