import * as z from 'zod';
import { image } from '../../shared/agent/define/index.ts';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { argumentsOf, pathAliases } from '../plain/arguments.ts';
import { kindOf } from '../plain/kinds.ts';
import { missing } from './missing.ts';

/** Shows the model an image of the workspace. Its size is checked when it is saved (docs/attachments.md). */
export const viewImage = defineTool({
  name: 'view_image',
  description: 'Look at an image of the workspace: PNG, JPEG, GIF or WebP.',
  effect: 'read',
  input: argumentsOf({ path: z.string().min(1) }, { path: [...pathAliases, 'image', 'image_path'] }),
  touches: ({ path }) => [path],
  async run({ path }, { services: { workspace } }) {
    const file = await workspace.stat(path);
    if (!file) throw await missing(path, workspace);
    const kind = kindOf(await workspace.read(path));
    if (!kind?.startsWith('image/'))
      throw new Error(
        `${file.path} is no image of a kind that can be shown: it is ${kind ?? 'of no kind that is known'}.`,
      );
    return image({ path: file.path });
  },
});
