import { keepSent } from '../../shared/agent/media/keep.ts';
import { plainName } from '../../shared/agent/media/name.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { Attachment } from '../../shared/agent/session/attachments.ts';
import type { MediaPart } from '../../shared/contract/ag-ui-parts.ts';
import { Refusal } from '../middleware/problem.ts';
import { bytesOfBase64, fetchLink } from './fetch.ts';
import { type TakeContext, type TakenBy, type TakenOver, takeOver } from './take.ts';

/** Time in ms for all links of a message together. */
const PATIENCE_MS = 10_000;

/** Context for taking in the parts of a message that bring their bytes or a link to them, and so need no upload. */
export interface PartsContext extends TakeContext {
  readonly io: Pick<Ports, 'blobs' | 'egress'>;
}

/**
 * Takes the parts of an AG-UI message into its session, as {@link takeOver} does with uploads. Refuses with a sentence for the
 * first part that cannot be fetched or used; then none is taken.
 */
export async function takeParts(
  parts: readonly MediaPart[],
  by: TakenBy,
  context: PartsContext,
): Promise<TakenOver> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const taken: TakenOver[] = [];
  const attachments: Attachment[] = [];
  const giveBack = async () => {
    await Promise.all(taken.map((one) => one.giveBack()));
  };
  try {
    for (const part of parts) {
      const { as, source } = part;
      if (source.kind === 'upload') {
        const one = await takeOver([{ type: as, upload: source.id }], by, context);
        taken.push(one);
        attachments.push(...one.attachments);
      } else attachments.push(await keepPart(part, by, context, signal));
    }
    return { attachments, giveBack };
  } catch (error) {
    if (error instanceof Refusal) await giveBack();
    throw error;
  }
}

async function keepPart(
  part: MediaPart,
  { key, limits }: TakenBy,
  { io }: PartsContext,
  signal: AbortSignal,
): Promise<Attachment> {
  const { as } = part;
  const name = plainName(part.name);
  const bytes = await bytesOf(part, io, signal);
  const kept =
    typeof bytes === 'string' ? bytes : await keepSent({ name, bytes, as }, key, limits.fileBytes, io.blobs);
  if (typeof kept !== 'string') return kept;
  throw new Refusal(422, 'Unusable upload', {
    detail: `${JSON.stringify(name)} cannot be sent as ${as}. ${kept}`,
  });
}

async function bytesOf(
  { source }: MediaPart,
  { egress }: PartsContext['io'],
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  switch (source.kind) {
    case 'base64':
      return bytesOfBase64(source.base64) ?? 'It is not valid base64.';
    case 'url':
      return fetchLink(source.url, egress, signal);
    case 'upload':
      return 'It is an upload.';
    default:
      return source satisfies never;
  }
}
