import { describe, expect, test } from 'vitest';
import type { Attachment } from '../../../shared/agent/session/attachments.ts';
import { putContent } from '../../../shared/agent/workspace/content.ts';
import { takeIn } from '../../../shared/agent/workspace/of-calls/index.ts';
import { readTree, treeOf } from '../../../shared/agent/workspace/tree.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';

const key = { tenant: 'acme', sessionId: 's1' };
const limits = { files: 4, fileBytes: 100, bytes: 150 };

const sent = (name: string, more: Partial<Attachment> = {}): Attachment => ({
  hash: 'a'.repeat(64),
  bytes: 10,
  mediaType: 'text/plain',
  name,
  as: 'file',
  ...more,
});

/** Adds files to the workspace of an empty session. */
async function taken(...files: readonly Attachment[]) {
  const { blobs } = memoryWorld();
  const of = { key, tree: undefined, limits, blobs };
  const { tree, changes, refused } = await takeIn(of, files);
  return { paths: [...(await treeOf({ key, tree, blobs })).keys()], changes, refused, tree, of };
}

describe('files that users send', () => {
  test('are in the workspace under their paths, or their names', async () => {
    const { paths, refused, changes } = await taken(sent('a.txt'), sent('b.txt', { path: '/docs/b.txt' }));
    expect(paths).toEqual(['a.txt', 'docs/b.txt']);
    expect(changes.map(({ path, bytes }) => [path, bytes])).toEqual([
      ['a.txt', 10],
      ['docs/b.txt', 10],
    ]);
    expect(refused).toEqual([]);
  });

  test('that do not fit, or have an invalid path, are left out with the reason; the others are added', async () => {
    const { paths, refused } = await taken(
      sent('fits'),
      sent('large', { bytes: 101 }),
      sent('out', { path: '../../umbrella/s1/x' }),
      sent('below', { path: 'fits/x' }),
      sent('much', { bytes: 100 }),
      sent('more', { bytes: 100 }),
    );
    expect(paths).toEqual(['fits', 'much']);
    expect(refused).toEqual([
      expect.stringMatching(/^"large": .*at most 100/),
      expect.stringMatching(/^"out": .*leads out of the workspace/),
      expect.stringMatching(/^"below": .*fits is a file/),
      expect.stringMatching(/^"more": .*room for 150 bytes/),
    ]);
  });

  test('of an archive are all added, or none', async () => {
    const { blobs } = memoryWorld();
    const archive = async (name: string, ...paths: string[]) => {
      const list = paths.map((path) => ({ path, hash: 'b'.repeat(64), bytes: 1 }));
      const hash = await putContent(key, new TextEncoder().encode(JSON.stringify(list)), blobs);
      return sent(name, { path: '', unpacked: { list: hash, files: paths.length, bytes: paths.length } });
    };
    const { tree, refused } = await takeIn({ key, tree: undefined, limits, blobs }, [
      await archive('good.zip', 'src/a.ts', 'src/b.ts'),
      await archive('many.zip', 'c', 'd', 'e'),
      await archive('slip.zip', 'f', '../../etc/passwd'),
    ]);
    expect([...(await readTree(key, tree ?? '', blobs)).keys()]).toEqual(['src/a.ts', 'src/b.ts']);
    expect(refused).toEqual([
      expect.stringMatching(/^"many.zip": .*room for 4 files/),
      expect.stringMatching(/^"slip.zip": .*leads out/),
    ]);
  });

  test('of which none fits leave the workspace unchanged', async () => {
    const { tree, changes } = await taken(sent('large', { bytes: 101 }));
    expect([tree, changes]).toEqual([undefined, []]);
  });
});
