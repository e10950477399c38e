import * as z from 'zod';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { argumentsOf } from '../plain/arguments.ts';
import { globToRe2 } from '../plain/glob-pattern.ts';
import { linear } from '../plain/linear.ts';

/** Most paths in one answer. */
const MAX_FOUND = 500;

/** Finds files of the workspace by path. */
export const globFiles = defineTool({
  name: 'glob',
  description:
    'Find files of the workspace by a pattern: "**/*.ts", "src/**/*.{js,ts}", "test/?.md". A pattern without a slash is looked for in every folder.',
  effect: 'read',
  cacheable: true,
  input: argumentsOf(
    { pattern: z.string().min(1), path: z.string().optional() },
    { pattern: ['glob', 'query', 'glob_pattern'], path: ['directory', 'dir', 'folder'] },
  ),
  touches: ({ path = '' }) => [path],
  async run({ pattern, path }, { services: { workspace } }) {
    const matches = await linear(globToRe2(pattern));
    const files = await workspace.list(path);
    const found = files.filter((file) => matches(file.path)).map((file) => file.path);
    if (found.length === 0) return `No file matches ${pattern}. There are ${files.length} files.`;
    const more = found.length - MAX_FOUND;
    return found.slice(0, MAX_FOUND).join('\n') + (more > 0 ? `\n[${more} more]` : '');
  },
});
