import { hashOf } from '../../define/pin.ts';
import type { Pinned } from '../../session/pinned.ts';
import type { Step } from '../open/step-context.ts';

/** Stores a changed definition with the session's own limits, before a commit names it. Returns its hash. */
export async function keepDefinition(
  { loaded: { key, own }, io }: Pick<Step, 'loaded' | 'io'>,
  changed: Pinned,
): Promise<string> {
  const pinned = { ...changed, ...own };
  const definition = hashOf(pinned);
  await io.sessions.putDefinition(key.tenant, definition, pinned);
  return definition;
}
