import { type IFileSystem, InMemoryFs } from 'just-bash';
import type { FileEntry } from '../../shared/agent/define/index.ts';
import { moduleFor } from './modules.ts';
import type { Done } from './protocol.ts';

/** Where the workspace is in the shell's tree. */
export const ROOT = '/workspace';
/** Where the skills of the session are. */
export const SKILLS = '/skills';

/** The file system of one script: the workspace under {@link ROOT}, everything else in memory and lost afterwards. */
export interface WorkspaceFs {
  readonly fs: IFileSystem;
  /** Lets JavaScript find the modules of {@link moduleFor} until the promise of `run` has settled. */
  withModules<T>(run: () => Promise<T>): Promise<T>;
  /** Puts a file elsewhere, which is read when the script does. */
  mount(path: string, read: () => Promise<Uint8Array>): void;
  /** The script's changes to the workspace. It reads nothing. */
  changes(): Promise<Pick<Done, 'written' | 'removed'>>;
}

/**
 * A file is fetched when the script reads it; its size is known without that.
 *
 * @param fetchFile reads a file of the workspace
 * @param outside runs a function as if the script had not asked for it: the shell forbids globals to code that runs on
 *   its behalf
 * @param maxBytes of all files that are in memory
 */
export function workspaceFs(
  base: readonly FileEntry[],
  fetchFile: (path: string) => Promise<Uint8Array>,
  outside: <T>(run: () => T) => T,
  maxBytes: number,
): WorkspaceFs {
  const memory = new InMemoryFs({}, { maxTotalBytes: maxBytes });
  /** Untouched files: their size is known without reading them. Marking one too many as touched only costs a read. */
  const untouched = new Map<string, FileEntry>();
  /** Contents of the workspace's files when they were read. */
  const contents = new Map<string, Uint8Array>();
  memory.mkdirSync(ROOT, { recursive: true });
  for (const file of base) {
    const path = `${ROOT}/${file.path}`;
    untouched.set(path, file);
    memory.writeFileLazy(path, async () => {
      if (over) throw new Unread(file.path);
      const bytes = await fetchFile(file.path);
      contents.set(path, bytes);
      return bytes;
    });
  }

  let over = false;
  let resolving = 0;
  const touch = (path: string): void => {
    untouched.delete(path);
    for (const other of untouched.keys()) if (other.startsWith(`${path}/`)) untouched.delete(other);
  };
  const changes =
    <Args extends [string, ...unknown[]], T>(run: (...args: Args) => Promise<T>, both = false) =>
    async (...args: Args): Promise<T> => {
      for (const path of args.slice(0, both ? 2 : 1)) touch(memory.resolvePath('/', String(path)));
      return run.apply(memory, args);
    };
  const reads =
    <Args extends [string, ...unknown[]], T>(
      run: (...args: Args) => Promise<T>,
      orModule?: (source: string) => T,
    ) =>
    async (...args: Args): Promise<T> => {
      try {
        return await run.apply(memory, args);
      } catch (error) {
        const source =
          resolving > 0 && orModule ? await outside(() => moduleFor(args[0], memory)) : undefined;
        if (source === undefined || !orModule) throw error;
        return orModule(source);
      }
    };
  const stats =
    (run: IFileSystem['stat']): IFileSystem['stat'] =>
    async (path) => {
      const file = untouched.get(memory.resolvePath('/', path));
      if (!file) return run.call(memory, path);
      const { mode, mtime } = FILE;
      return {
        isFile: true,
        isDirectory: false,
        isSymbolicLink: false,
        mode,
        size: file.bytes,
        mtime,
        identity: `workspace:${file.path}`,
      };
    };

  const fs: IFileSystem = {
    readFile: reads(memory.readFile, (source) => source),
    readFileBytes: reads(memory.readFileBytes),
    readFileBuffer: reads(memory.readFileBuffer, (source) => new TextEncoder().encode(source)),
    exists: reads(memory.exists),
    readdir: reads(memory.readdir),
    readdirWithFileTypes: reads(memory.readdirWithFileTypes),
    readlink: reads(memory.readlink),
    realpath: reads(memory.realpath),
    stat: stats(memory.stat),
    lstat: stats(memory.lstat),
    writeFile: changes(memory.writeFile),
    appendFile: changes(memory.appendFile),
    mkdir: changes(memory.mkdir),
    rm: changes(memory.rm),
    chmod: changes(memory.chmod),
    utimes: changes(memory.utimes),
    cp: changes(memory.cp, true),
    mv: changes(memory.mv, true),
    link: changes(memory.link, true),
    // The workspace has no links: one file with two names would become two files when the script is over.
    symlink: async (_target, path) => {
      throw new Error(`ENOTSUP: there are no symbolic links here, '${path}'`);
    },
    resolvePath: (from, path) => memory.resolvePath(from, path),
    getAllPaths: () => memory.getAllPaths(),
  };

  async function changesMade(): Promise<Pick<Done, 'written' | 'removed'>> {
    over = true;
    const kept = new Set<string>();
    const written: Done['written'][number][] = [];
    for (const path of memory.getAllPaths()) {
      if (!path.startsWith(`${ROOT}/`)) continue;
      const name = path.slice(ROOT.length + 1);
      const stat = await memory.stat(path).catch(asUnread);
      if (!(stat instanceof Unread) && !stat.isFile) continue;
      kept.add(name);
      const bytes = await memory.readFileBuffer(path).catch(asUnread);
      if (bytes instanceof Unread) {
        if (bytes.path !== name) written.push([name, { from: bytes.path }]);
      } else if (!same(bytes, contents.get(path))) written.push([name, { bytes }]);
    }
    return { written, removed: base.map((file) => file.path).filter((path) => !kept.has(path)) };
  }

  return {
    fs,
    mount: (path, read) => memory.writeFileLazy(path, read),
    changes: changesMade,
    async withModules(run) {
      resolving += 1;
      try {
        return await run();
      } finally {
        resolving -= 1;
      }
    },
  };
}

/** A file of the workspace has no mode and no time of its own: every script sees the same. */
const FILE = { mode: 0o644, mtime: new Date(0) };

/** Thrown in place of a file's content when the script is over: the file was never read, so it is unchanged. */
class Unread extends Error {
  readonly path: string;
  constructor(path: string) {
    super(`${path} was not read`);
    this.path = path;
  }
}

function asUnread(error: unknown): Unread {
  if (error instanceof Unread) return error;
  throw error;
}

const same = (a: Uint8Array, b: Uint8Array | undefined): boolean =>
  b !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i]);
