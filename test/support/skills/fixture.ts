import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A skill's folder, and what the check says of it. */
export interface SkillFixture {
  /** Name of the folder. */
  readonly folder: string;
  /** Content by path; a link is `{ link: target }`. */
  readonly files: Readonly<Record<string, string | Uint8Array | { readonly link: string }>>;
  /** Part of each error, in any order; empty if it can be used. */
  readonly errors?: readonly string[];
  /** Part of each warning. */
  readonly warnings?: readonly string[];
}

/** A `SKILL.md` in the usual form. */
export const skillFile = (keys: Readonly<Record<string, string>>, body: string): string =>
  `---\n${Object.entries(keys)
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n')}\n---\n\n${body}\n`;

/** Writes the folders of skills below a folder. */
export async function writeSkills(root: string, skills: readonly SkillFixture[]): Promise<void> {
  for (const { folder, files } of skills)
    for (const [path, content] of Object.entries(files)) {
      const place = join(root, folder, path);
      await mkdir(dirname(place), { recursive: true });
      if (typeof content === 'object' && 'link' in content) await symlink(content.link, place);
      else await writeFile(place, content);
    }
}
