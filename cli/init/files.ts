/** Reads the files of a template. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Next to this file, in the sources and in the build. */
const home = fileURLToPath(new URL('./template/', import.meta.url));

/** Files whose real names npm would leave out of a package. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'env.example': '.env.example' };

/** The texts of a new project by their path. Where both folders have a file, the template's follows the common text. */
export async function filesOf(template: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const folder of ['common', template])
    for (const [path, text] of await textsIn(join(home, folder))) {
      const name = RENAMED[path] ?? path;
      const before = files.get(name);
      files.set(name, before === undefined ? text : `${before}\n${text}`);
    }
  return files;
}

async function textsIn(folder: string): Promise<[path: string, text: string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry): Promise<[string, string]> => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(folder.length + 1), await readFile(path, 'utf8')];
      }),
  );
}
