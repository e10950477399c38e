import * as z from 'zod';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { MAX_SENT, SEND_FILES, type SentFiles } from '../../shared/contract/sent-files.ts';
import { missing } from './missing.ts';

/**
 * Gives files of the workspace to the people of the session, as they are now. In Slack they appear in the thread; elsewhere people
 * download them (docs/workspace.md).
 */
export const sendFiles = defineTool({
  name: SEND_FILES,
  description: `Give files of the workspace to the people in this conversation, as they are now: up to ${MAX_SENT}. Use it for results that people want to have, not for drafts.`,
  effect: 'read',
  input: z.object({ paths: z.array(z.string().min(1)).min(1).max(MAX_SENT) }),
  touches: ({ paths }) => paths,
  async run({ paths }, { services: { workspace } }): Promise<z.output<typeof SentFiles>> {
    const found = await Promise.all(
      [...new Set(paths)].map(async (path) => {
        const file = await workspace.stat(path);
        if (!file) throw await missing(path, workspace);
        if (file.bytes === 0) throw new Error(`${file.path} is empty, so nothing was sent.`);
        return file;
      }),
    );
    return {
      sent: found.map(({ path, hash, bytes }) => ({ name: path.split('/').at(-1) ?? path, hash, bytes })),
    };
  },
});
