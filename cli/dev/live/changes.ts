/** Watches the files of a project for changes. */

import { basename, isAbsolute, relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

export interface Changes {
  /** Watches these files too, wherever they are. */
  also(files: Iterable<string>): void;
  close(): Promise<void>;
}

/** An editor writes a file in several operations, and often several files together. */
const QUIET_MS = 30;

/** How often a file that is being written is looked at. */
const POLL_MS = 10;

/**
 * Calls `changed` with the absolute paths of changed files below `folder`, shortly after the last change. Installed, built and
 * hidden files are ignored, except for `.env`. Resolves when it is watching.
 *
 * @param unwatched more folders to ignore
 */
export async function watchFiles(
  folder: string,
  unwatched: readonly string[],
  changed: (paths: ReadonlySet<string>) => void,
): Promise<Changes> {
  let paths = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const watcher: FSWatcher = watch(folder, {
    ignoreInitial: true,
    // Without this, chokidar drops changes of a file within 50 ms of the one before, and a correction would never be built.
    awaitWriteFinish: { stabilityThreshold: QUIET_MS, pollInterval: POLL_MS },
    ignored: (path) => isInside(folder, path) && isLeftOut(relative(folder, path), path, unwatched),
  });
  watcher.on('all', (_event, path) => {
    paths.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const told = paths;
      paths = new Set();
      changed(told);
    }, QUIET_MS);
  });
  // An unreadable file does not end the watch; later edits of other files are still reported.
  watcher.on('error', () => undefined);
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return {
    also(files) {
      const outside = [...files].filter((file) => !isInside(folder, file));
      // A closed watcher would open again.
      if (outside.length > 0 && !watcher.closed) watcher.add(outside);
    },
    async close() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

const LEFT_OUT = new Set(['node_modules', 'cdk.out', 'dist', 'coverage']);

function isLeftOut(inside: string, path: string, unwatched: readonly string[]): boolean {
  if (inside === '' || basename(path) === '.env') return false;
  return (
    unwatched.includes(path) || inside.split(sep).some((name) => LEFT_OUT.has(name) || name.startsWith('.'))
  );
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
}
