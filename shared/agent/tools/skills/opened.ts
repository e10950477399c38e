/** A skill that was opened. */
export interface OpenSkill {
  /** A line before its instructions. */
  readonly about: string;
  /** Lines after its instructions. */
  after(): Promise<string>;
  read(path: string): Promise<Uint8Array>;
}

/** Where the shell has the skills of the definition (docs/skills.md). */
export const SKILLS_ROOT = '/skills';

/** Files that are named below the instructions. */
const MAX_FILES = 50;

/** The other files of a skill. */
export function filesLine(paths: readonly string[], where: string): string[] {
  const others = paths.filter((path) => path !== 'SKILL.md');
  if (others.length === 0) return [];
  const more = others.length > MAX_FILES ? ` and ${others.length - MAX_FILES} more` : '';
  return [`[its files, to be read with path; ${where}: ${others.slice(0, MAX_FILES).join(', ')}${more}]`];
}
