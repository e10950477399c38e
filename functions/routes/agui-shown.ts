import { shownIn, withParts } from '../../shared/contract/ag-ui-parts.ts';
import type { AgUiEvent } from '../../shared/contract/events.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Links } from '../../shared/edge/links.ts';
import { linksTo } from './links-to.ts';

/** An event as AG-UI front ends show it ({@link withParts}), with our links. */
export const withLinks = async (
  event: AgUiEvent,
  key: SessionKey,
  links: Pick<Links, 'downloadFrom'>,
): Promise<object> => withParts(event, await linksTo(shownIn(event), key, links));
