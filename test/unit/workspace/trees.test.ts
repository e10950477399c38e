import { describe, expect, test } from 'vitest';
import type { FileChange } from '../../../shared/agent/session/slots.ts';
import { applied, changesBetween } from '../../../shared/agent/workspace/changes.ts';
import { draftOf } from '../../../shared/agent/workspace/draft.ts';
import { noFiles, putTree, readTree, type Tree, treeText } from '../../../shared/agent/workspace/tree.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';

const key = { tenant: 'acme', sessionId: 's1' };
const limits = { files: 3, fileBytes: 10, bytes: 20 };
const file = (path: string, bytes = 1): FileChange => ({ path, hash: `hash of ${bytes}`, bytes });
const tree = (...files: FileChange[]): Tree => applied(noFiles, files);

describe('a tree', () => {
  test('has the same text and hash in any order of changes, and survives the round trip', async () => {
    const { blobs } = memoryWorld();
    const one = tree(file('b'), file('a'), file('__proto__'), file('ü/字'));
    const other = tree(file('ü/字'), file('gone'), file('__proto__'), file('a', 5), file('b'), file('a'), {
      path: 'gone',
    });
    expect(treeText(one)).toBe(treeText(other));
    const hash = await putTree(key, one, blobs);
    expect(await putTree(key, other, blobs)).toBe(hash);
    expect(treeText(await readTree(key, hash, blobs))).toBe(treeText(one));
    await expect(readTree({ ...key, sessionId: 's2' }, hash, blobs)).rejects.toThrow('is missing');
    await expect(readTree({ ...key, tenant: 'umbrella' }, hash, blobs)).rejects.toThrow('is missing');
  });

  test('is not changed by a change to a copy', () => {
    const before = tree(file('a'));
    applied(before, [{ path: 'a' }, file('b')]);
    draftOf(before, limits).change({ path: 'a' });
    expect([...before.keys()]).toEqual(['a']);
  });

  test('becomes another one by applying their difference, deletions first', () => {
    const before = tree(file('same'), file('changed'), file('z-gone'));
    const after = tree(file('same'), file('changed', 2), file('a-new'));
    const changes = changesBetween(before, after);
    expect(changes.map(({ path, bytes }) => [path, bytes])).toEqual([
      ['z-gone', undefined],
      ['a-new', 1],
      ['changed', 2],
    ]);
    expect(treeText(applied(before, changes))).toBe(treeText(after));
    expect(changesBetween(after, after)).toEqual([]);
  });
});

describe('the limits of a workspace', () => {
  test.each<[what: string, before: FileChange[], change: FileChange, why: string | undefined]>([
    ['a file that fits', [], file('a', 10), undefined],
    ['a file that is too large', [], file('a', 11), 'a would have 11 bytes'],
    ['one more file than allowed', [file('a'), file('b'), file('c')], file('d'), 'room for 3 files'],
    ['the last file again', [file('a'), file('b'), file('c')], file('c', 2), undefined],
    ['too many bytes together', [file('a', 10), file('b', 6)], file('c', 5), 'room for 20 bytes'],
    ['the maximum of bytes', [file('a', 10), file('b', 5)], file('c', 5), undefined],
    ['a file in place of a larger one', [file('a', 10), file('b', 10)], file('b', 9), undefined],
    ['a file whose name is a folder', [file('a/b')], file('a'), 'a is a folder'],
    ['a file below a file', [file('a')], file('a/b/c'), 'a is a file'],
    ['a file beside a folder of almost its name', [file('a/b')], file('ab'), undefined],
    ['a removal', [file('a'), file('b'), file('c')], { path: 'a' }, undefined],
  ])('%s', (_what, before, change, why) => {
    const draft = draftOf(tree(...before), limits);
    const said = draft.change(change);
    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(why);
    expect(treeText(draft.files)).toBe(treeText(tree(...before, ...(why ? [] : [change]))));
  });

  test('files over the limits, which were larger once, may shrink and not grow', () => {
    const many = draftOf(tree(file('a'), file('b'), file('c'), file('d'), file('e')), limits);
    expect(many.change(file('f'))).toContain('room for 3 files');
    expect(many.change(file('a', 2))).toBeUndefined();
    const large = draftOf(tree(file('a', 30)), limits);
    expect(large.change(file('b', 1))).toContain('room for 20 bytes');
    expect(large.change({ path: 'a' })).toBeUndefined();
    expect(large.change(file('b', 1))).toBeUndefined();
  });

  test('a folder that has lost its last file frees its name', () => {
    const draft = draftOf(tree(file('a/b'), file('a/c')), limits);
    draft.change({ path: 'a/b' });
    expect(draft.change(file('a'))).toContain('is a folder');
    draft.change({ path: 'a/c' });
    expect(draft.change(file('a'))).toBeUndefined();
  });

  test('related changes are all made, or none', () => {
    const draft = draftOf(tree(file('a'), file('b')), limits);
    expect(draft.changeAll([{ path: 'a' }, file('b', 9), file('c'), file('d'), file('e')])).toContain(
      '3 files',
    );
    expect(treeText(draft.files)).toBe(treeText(tree(file('a'), file('b'))));
    expect(draft.changeAll([{ path: 'a' }, file('a/x'), file('c')])).toBeUndefined();
    expect([...draft.files.keys()].sort()).toEqual(['a/x', 'b', 'c']);
  });
});
