/** The location of this package: TypeScript in its repository, JavaScript where it is installed. */

import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with `functions/`, `shared/` and `infra/`. */
export const home = fileURLToPath(new URL('../..', import.meta.url));

/** The extension of its source files. */
const extension = extname(fileURLToPath(import.meta.url));

/** The path of one of its modules, such as `functions/step`. */
export const moduleOf = (name: string): string => join(home, `${name}${extension}`);
