import type { SessionBlobs } from '../../shared/agent/define/index.ts';
import { hash } from '../../shared/agent/plain/hash.ts';

/** Versions of a file that are remembered. A retried step may meet one that has been replaced since. */
const MAX_VERSIONS = 50;

/** Which versions of its files a session has read, by the hashes of their contents. A lost note costs one more read. */
export interface Seen {
  /** Records that the model has been shown this version, or has written it. */
  note(path: string, version: string): Promise<void>;
  /** `never`: no version of the file has been read. `changed`: others have, this one has not. */
  of(path: string, version: string): Promise<'seen' | 'changed' | 'never'>;
}

export function seenIn(blobs: SessionBlobs): Seen {
  const nameOf = (path: string): string => `seen.${hash(path, 40)}`;
  const versionsOf = async (path: string): Promise<string[]> =>
    (await blobs.get(nameOf(path)))?.split('\n') ?? [];
  return {
    async note(path, version) {
      const known = await versionsOf(path);
      if (known.at(-1) === version) return;
      const others = known.filter((other) => other !== version);
      await blobs.put(nameOf(path), [...others, version].slice(-MAX_VERSIONS).join('\n'));
    },
    async of(path, version) {
      const known = await versionsOf(path);
      if (known.includes(version)) return 'seen';
      return known.length > 0 ? 'changed' : 'never';
    },
  };
}
