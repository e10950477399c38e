import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/ports.ts';
import type { PinnedSkills } from '../session/skills.ts';

/**
 * The skills of a session, in the versions that it began with (docs/skills.md). Skills that are files of the workspace are not among
 * them.
 */
export interface SessionSkills {
  /** In the order of the definition. */
  list(): readonly SkillVersion[];
  /** The files of one, sorted by path. Rejects with a sentence if there is no such skill. */
  files(name: string): Promise<readonly SkillFile[]>;
  /** A file's bytes. Rejects with a sentence if there is no such skill or file, or if the path leads out of the skill. */
  read(name: string, path: string): Promise<Uint8Array>;
}

/** A skill's name, and the beginning of the hash of its files. */
export interface SkillVersion {
  readonly name: string;
  readonly version: string;
}

export interface SkillFile {
  /** Below the skill's folder, with `/` between names. */
  readonly path: string;
  readonly bytes: number;
}

/** The needs of `sessionSkills`. */
export interface SkillsOf {
  readonly tenant: string;
  readonly skills: PinnedSkills | undefined;
  readonly blobs: Pick<Blobs, 'getBytes'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Aborts when the call is over: after that nothing is read. */
  readonly signal: AbortSignal;
}
