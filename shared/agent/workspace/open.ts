import { readOnce } from '../plain/read-once.ts';
import type { OpenWorkspace, WorkspaceOf } from './workspace.ts';

export const readWorkspaces = readOnce(() => import('./of-calls/index.ts'));

/** The workspace of one call. Neither its files nor its code are read before the call asks for it. */
export function workspaceOf(of: WorkspaceOf): OpenWorkspace {
  let asked: Promise<OpenWorkspace> | undefined;
  const opened = () => {
    asked ??= readWorkspaces().then(({ openWorkspace }) => openWorkspace(of));
    return asked;
  };
  const files = async () => (await opened()).workspace;
  return {
    workspace: {
      list: async (under) => (await files()).list(under),
      stat: async (path) => (await files()).stat(path),
      read: async (path) => (await files()).read(path),
      write: async (path, content) => (await files()).write(path, content),
      remove: async (path) => (await files()).remove(path),
    },
    end: async () => (asked ? (await opened()).end() : []),
  };
}
