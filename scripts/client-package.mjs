/** Copies what `@steploop/client` consists of from the build of the whole package: its entries, and the files that they import. */

import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * @param {string} from the folder of the build
 * @param {string} to the folder of the package, with its package.json
 */
export function copyClient(from, to) {
  const { exports } = JSON.parse(readFileSync(join(to, 'package.json'), 'utf8'));
  const into = join(to, 'dist');
  const entries = Object.values(exports)
    .flatMap((entry) => (typeof entry === 'object' ? [entry.types, entry.default] : []))
    .map((path) => join(from, relative(into, join(to, path))));
  rmSync(into, { recursive: true, force: true });
  cpSync(join(from, '..', 'LICENSE'), join(to, 'LICENSE'));
  for (const file of reachable(entries)) cpSync(file, join(into, relative(from, file)));
}

/** The files, and all that they import by a path. */
function reachable(entries) {
  const found = new Set(entries);
  // A set is read in the order in which it grows.
  for (const file of found) for (const path of importsOf(file)) found.add(path);
  return found;
}

function importsOf(file) {
  const code = readFileSync(file, 'utf8');
  const isTypes = file.endsWith('.d.ts');
  return [
    ...code.matchAll(/^(?:import|export)\b[^;'"`]*?from ['"](\.[^'"]+)['"]/gm),
    ...code.matchAll(/^import ['"](\.[^'"]+)['"]/gm),
    ...code.matchAll(/\bimport\(['"](\.[^'"]+)['"]\)/g),
  ].map(([, from]) => {
    const path = join(dirname(file), from);
    const found = isTypes ? path.replace(/\.(?:js|ts)$/, '.d.ts') : path;
    if (!existsSync(found)) throw new Error(`${file} imports ${from}, which the build does not have`);
    return found;
  });
}
