import type { SessionKey } from '../../contract/session.ts';
import { keepSent } from '../media/keep.ts';
import { plainName } from '../media/name.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Attachment } from '../session/attachments.ts';
import type { ToolServices } from './services.ts';
import type { Shown } from './shown.ts';

/** Images of one result. */
const MAX_IMAGES = 10;

/**
 * Stores the images of a result, after the same checks as images that people send.
 *
 * @returns the value of the result, and the images that the model sees; for the others, the reason
 * @throws if there are only images that cannot be shown, or if one cannot be read or stored
 */
export async function keepShown(
  { value, images }: Shown,
  key: SessionKey,
  { workspace }: Pick<ToolServices, 'workspace'>,
  blobs: Pick<Blobs, 'put' | 'putBytes'>,
): Promise<{ readonly value: unknown; readonly attachments?: readonly Attachment[] }> {
  const attachments: Attachment[] = [];
  const refused: string[] = [];
  for (const one of images.slice(0, MAX_IMAGES)) {
    const bytes = 'path' in one ? await workspace.read(one.path) : one.bytes;
    const name = plainName('path' in one ? one.path : one.name);
    const kept = await keepSent({ name, bytes, as: 'image' }, key, 0, blobs);
    if (typeof kept === 'string') refused.push(`${JSON.stringify(name)} is not shown. ${kept}`);
    else attachments.push(kept);
  }
  if (images.length > MAX_IMAGES) refused.push(`Of ${images.length} images ${MAX_IMAGES} are shown.`);
  if (value === undefined && attachments.length === 0) throw new Error(refused.join('\n'));
  return {
    value: refused.length > 0 ? [asText(value), ...refused].join('\n') : (value ?? 'Shown.'),
    ...(attachments.length > 0 && { attachments }),
  };
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'Shown.');
