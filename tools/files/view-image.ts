import * as z from 'zod';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { argumentsOf, pathAliases } from '../plain/arguments.ts';
import { kindOf, sizeOf } from '../plain/kinds.ts';
import { missing } from './missing.ts';

/** Bytes of an image, as servers of models take it. */
const MAX_IMAGE = 3_750_000;

/** Shows the model an image of the workspace. */
export const viewImage = defineTool({
  name: 'view_image',
  description: 'Look at an image of the workspace: PNG, JPEG, GIF or WebP.',
  effect: 'read',
  input: argumentsOf({ path: z.string().min(1) }, { path: [...pathAliases, 'image', 'image_path'] }),
  touches: ({ path }) => [path],
  async run({ path }, { services: { workspace } }) {
    const file = await workspace.stat(path);
    if (!file) throw await missing(path, workspace);
    if (file.bytes > MAX_IMAGE)
      throw new Error(
        `${file.path} has ${sizeOf(file.bytes)}; at most ${sizeOf(MAX_IMAGE)} of an image can be shown.`,
      );
    const kind = kindOf(await workspace.read(path));
    if (!kind?.startsWith('image/'))
      throw new Error(
        `${file.path} is no image of a kind that can be shown: it is ${kind ?? 'of no kind that is known'}.`,
      );
    return `[${file.path}: ${kind}, ${sizeOf(file.bytes)}]`;
  },
});
