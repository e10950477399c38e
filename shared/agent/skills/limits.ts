/**
 * Bounds of one skill. Those of its name and compatibility are the specification's (agentskills.io/specification);
 * the others keep a deployment, a session's first step and a model's context small.
 */
export const skillLimits = {
  /** Characters. */
  name: 64,
  /** More than the specification's 1,024, because published skills exceed those. */
  description: 4_096,
  compatibility: 500,
  license: 500,
  /** Names in `allowed-tools`. */
  allowedTools: 100,
  /** Bytes of `SKILL.md`. */
  skillBytes: 100_000,
  /** Bytes of any other file. */
  fileBytes: 1_000_000,
  /** Bytes of all files together. */
  totalBytes: 10_000_000,
  files: 200,
  /** Bytes of a path below the skill's folder. */
  pathBytes: 200,
} as const;

/**
 * Numbers that the specification demands or recommends: 500 lines, and 5,000 tokens of 4 characters, for the instructions; 1,024
 * characters for the description.
 */
export const recommended = { lines: 500, chars: 20_000, description: 1_024 } as const;

/** Skills of one agent. Each stands in the prompt with its description. */
export const MAX_SKILLS = 100;

/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';

/** The form of a skill's name: lowercase letters and digits, with single hyphens between them. */
export const SKILL_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
