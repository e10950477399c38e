import { encoded } from '../../plain/utf8.ts';
import type { FileChange } from '../../session/slots.ts';
import { warm } from '../cache.ts';
import { applied, changesBetween } from '../changes.ts';
import { contentHash, contentKey } from '../content.ts';
import { draftOf, tooLarge } from '../draft.ts';
import { filePathOf, isUnder, pathOf } from '../paths.ts';
import { sorted, treeOf } from '../tree.ts';
import type { OpenWorkspace, WorkspaceOf } from '../workspace.ts';

/** Contents that are stored at the same time. */
const AT_A_TIME = 16;

/**
 * The files of a session as one call sees them: those that its batch began with, changed by earlier calls of the batch and by the
 * call itself. The call's own changes stay in memory until it succeeds. So a call that fails changes nothing, and content that is
 * written twice is stored once.
 */
export async function openWorkspace(of: WorkspaceOf): Promise<OpenWorkspace> {
  const { key, files, limits, signal } = of;
  signal.throwIfAborted();
  const blobs = warm(of.blobs, of.clock);
  const [stored, changed] = await Promise.all([treeOf({ key, tree: files.tree, blobs }), files.changed()]);
  const before = applied(stored, changed);
  const draft = draftOf(before, limits);
  /** Content that this call has written, by hash. */
  const written = new Map<string, Uint8Array>();
  let over = false;

  const assertOpen = () => {
    signal.throwIfAborted();
    if (over) throw new Error('the call is over: it changes no file any more');
    if (!of.writes) throw new Error('a tool of the effect `read` changes no files: declare it `idempotent`');
  };
  const change = (one: FileChange) => {
    const why = draft.change(one);
    if (why) throw new Error(why);
  };

  return {
    workspace: {
      async list(under = '') {
        signal.throwIfAborted();
        const folder = pathOf(under);
        return sorted(draft.files).filter(({ path }) => isUnder(path, folder));
      },

      async stat(path) {
        signal.throwIfAborted();
        return draft.files.get(pathOf(path));
      },

      async read(given) {
        signal.throwIfAborted();
        const path = filePathOf(given);
        const file = draft.files.get(path);
        if (!file) throw new Error(`There is no file ${path} in the workspace.`);
        const bytes = written.get(file.hash) ?? (await blobs.getBytes(contentKey(key, file.hash)));
        if (!bytes) throw new Error(`The content of ${path} is missing.`);
        return bytes.slice();
      },

      async write(given, content) {
        assertOpen();
        const path = filePathOf(given);
        const bytes = typeof content === 'string' ? encoded(content.toWellFormed()) : content.slice();
        if (bytes.length > limits.fileBytes) throw new Error(tooLarge(path, bytes.length, limits));
        const hash = contentHash(bytes);
        change({ path, hash, bytes: bytes.length });
        written.set(hash, bytes);
      },

      async remove(given) {
        assertOpen();
        const path = filePathOf(given);
        if (!draft.files.has(path)) throw new Error(`There is no file ${path} in the workspace.`);
        change({ path });
      },
    },

    async end() {
      over = true;
      const changes = changesBetween(before, draft.files);
      const known = new Set([...stored.values()].map(({ hash }) => hash));
      const fresh = [...new Set(changes.flatMap(({ hash }) => hash ?? []))].filter(
        (hash) => !known.has(hash),
      );
      for (let i = 0; i < fresh.length; i += AT_A_TIME)
        await Promise.all(
          fresh.slice(i, i + AT_A_TIME).map(async (hash) => {
            const bytes = written.get(hash);
            if (bytes) await blobs.putBytes(contentKey(key, hash), bytes);
          }),
        );
      return changes;
    },
  };
}
