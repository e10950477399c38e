import * as z from 'zod';
import type { EgressInit, Tool, Workspace } from '../../../shared/agent/define/index.ts';
import { toolServices } from '../../support/tool-services.ts';

type Content = string | Uint8Array;
type Fetch = (url: string | URL, init?: EgressInit) => Promise<Response>;

const unreachable: Fetch = async () => {
  throw new Error('no answer');
};

/** A session of tools on one workspace: each call is parsed and run as the step does it; an exception is shown as `Error: …`. */
export async function toolSession(files: Readonly<Record<string, Content>> = {}, fetch: Fetch = unreachable) {
  const services = toolServices({ workspace: { fileBytes: 10_000_000 } });
  const { workspace } = services;
  for (const [path, content] of Object.entries(files)) await workspace.write(path, content);
  const [reads, writes]: [string[], string[]] = [[], []];
  const watched: Workspace = {
    ...workspace,
    read: (path) => {
      reads.push(path);
      return workspace.read(path);
    },
    write: (path, content) => {
      writes.push(path);
      return workspace.write(path, content);
    },
  };
  return {
    reads,
    writes,
    workspace,
    text: async (path: string) => utf8.decode(await workspace.read(path)),
    paths: async () => (await workspace.list()).map((file) => file.path),
    async call(tool: Tool, input: unknown, signal = new AbortController().signal): Promise<unknown> {
      const parsed = await tool.input.safeParseAsync(input);
      if (!parsed.success) return `Invalid: ${z.prettifyError(parsed.error)}`;
      const context = {
        services: { ...services, workspace: watched, fetch },
        signal,
        idempotencyKey: 'key1',
      };
      try {
        return await tool.run(parsed.data, context as never);
      } catch (error) {
        return `Error: ${error instanceof Error ? error.message : String(error)}`;
      }
    },
  };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
