import * as z from 'zod';
import { frontMatterOf } from './front-matter.ts';
import { recommended, SKILL_FILE, SKILL_NAME, skillLimits } from './limits.ts';
import { problem, type SkillProblem } from './problem.ts';
import type { SkillFacts } from './skill.ts';

/** A `SKILL.md` that was read. */
export interface ReadSkill {
  /** Undefined if something in it is an error. */
  readonly facts?: SkillFacts;
  /** The instructions, without the front matter. */
  readonly body: string;
  readonly bodyLine: number;
  readonly problems: readonly SkillProblem[];
}

const text = (most: number) =>
  z
    .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text: put it in quotes') })
    .trim()
    .min(1, 'is empty')
    .max(most, `has more than ${most} characters`);

const Keys = z.object({
  name: text(skillLimits.name).regex(SKILL_NAME, {
    error: 'must be lowercase letters and digits, with single hyphens between them',
  }),
  description: text(skillLimits.description),
  license: text(skillLimits.license).optional(),
  compatibility: text(skillLimits.compatibility).optional(),
  metadata: z
    .record(z.string(), z.unknown(), { error: 'must have keys of its own, such as "author: example"' })
    .optional(),
  'allowed-tools': z
    .union([z.string().transform(toolsIn), z.array(z.string()).transform((list) => list.flatMap(toolsIn))], {
      error: 'must be names with blanks between them, or a list of names',
    })
    .refine((list) => list.length <= skillLimits.allowedTools, {
      error: `has more than ${skillLimits.allowedTools} names`,
    })
    .optional(),
});

/** Keys that other clients know. They are no mistake, and have no meaning here. */
const ELSEWHERE = new Set([
  'version',
  'author',
  'model',
  'agent',
  'context',
  'hooks',
  'tags',
  'argument-hint',
  'user-invocable',
  'disable-model-invocation',
]);

/**
 * Reads a `SKILL.md`. Never throws.
 *
 * @param folder name of the folder that it is in, which must be the skill's name
 */
export function readSkill(markdown: string, folder: string): ReadSkill {
  const { keys, body, bodyLine, problems } = frontMatterOf(markdown);
  if (!keys) return { body, bodyLine, problems };
  const found = [...problems];
  const say = (level: SkillProblem['level'], why: string) => found.push(problem(level, SKILL_FILE, why, 1));
  const parsed = Keys.safeParse(keys);
  if (!parsed.success)
    for (const { path, message } of parsed.error.issues) say('error', `${path.join('.')} ${message}`);
  for (const key of Object.keys(keys))
    if (!Object.hasOwn(Keys.shape, key))
      say(
        'warning',
        ELSEWHERE.has(key)
          ? `${key} has no effect here: the agent's definition decides`
          : `${key} is not a key of the format: put it under metadata`,
      );
  const { description } = keys;
  if (parsed.success && String(description).trim().length > recommended.description)
    say(
      'warning',
      `description has more than ${recommended.description} characters: other clients refuse it, and all of it stands in the prompt`,
    );
  if (body.trim() === '') say('error', 'there are no instructions after the front matter');
  const { name } = keys;
  if (parsed.success && name !== folder)
    say('error', `its name is ${parsed.data.name} and its folder is ${folder}: give both the same name`);
  if (!parsed.success || found.some(({ level }) => level === 'error'))
    return { body, bodyLine, problems: found };
  const { 'allowed-tools': allowedTools, metadata: _, license, compatibility, ...rest } = parsed.data;
  const facts = {
    ...rest,
    ...(license && { license }),
    ...(compatibility && { compatibility }),
    ...(allowedTools && allowedTools.length > 0 && { allowedTools }),
  };
  return { facts, body, bodyLine, problems: found };
}

/** `Bash(git:*) Read, Write` as three names: a blank within parentheses belongs to the name. */
function toolsIn(list: string): string[] {
  return list.match(/[^\s,()]+(?:\([^)]*\))?/g) ?? [];
}
