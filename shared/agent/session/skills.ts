/** The skills that a session may read (docs/skills.md). */
export interface PinnedSkills {
  /** The part of the system prompt that names and describes them. */
  readonly catalog: string;
  /** Those of the definition, in its order. */
  readonly list: readonly PinnedSkill[];
  /** Folders of the workspace whose skills may be read too; absent: none. */
  readonly workspace?: readonly string[];
}

/** A skill in the version that the session keeps. */
export interface PinnedSkill {
  readonly name: string;
  /** SHA-256 of its files, in hex: its version. */
  readonly hash: string;
  /** Its needs of its surroundings, in its author's words. */
  readonly compatibility?: string;
  /** Tools that its author would run without asking. They are shown to the model, and give no permission. */
  readonly allowedTools?: readonly string[];
}

/** The name of the tool that reads skills. */
export const SKILL_TOOL = 'skill';

/** The prefix of the names of skills that are files of the workspace: they cannot take the place of the definition's. */
export const WORKSPACE_SKILL = 'workspace:';

/** Characters of a version as people and models see it. */
const SHORT = 12;

export const shortVersion = (hash: string): string => hash.slice(0, SHORT);
