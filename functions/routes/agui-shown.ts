import { contentKey } from '../../shared/agent/workspace/content.ts';
import { shownIn, withParts } from '../../shared/contract/ag-ui-parts.ts';
import type { AgUiEvent } from '../../shared/contract/events.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Links } from '../../shared/edge/links.ts';

/** How long a link in a snapshot is good, in seconds: who looks later connects again. */
const LINK_SECONDS = 3_600;

/** An event as front ends of AG-UI show it ({@link withParts}), with links of ours. */
export async function withLinks(
  event: AgUiEvent,
  key: SessionKey,
  links: Pick<Links, 'downloadFrom'>,
): Promise<object> {
  const signed = shownIn(event).map(async ({ hash, name, mediaType }) => {
    const what = { name, mediaType, inline: true, seconds: LINK_SECONDS };
    return [hash, await links.downloadFrom(contentKey(key, hash), what)] as const;
  });
  return withParts(event, new Map(await Promise.all(signed)));
}
