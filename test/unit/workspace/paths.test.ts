import { describe, expect, test } from 'vitest';
import { filePathOf, foldersOf, isUnder, PathError, pathOf } from '../../../shared/agent/workspace/paths.ts';

describe('a path of the workspace', () => {
  test.each([
    ['a.ts', 'a.ts'],
    ['src/a.ts', 'src/a.ts'],
    ['./src//a.ts', 'src/a.ts'],
    ['/src/a.ts', 'src/a.ts'],
    ['/workspace/src/a.ts', 'src/a.ts'],
    ['/workspace', ''],
    ['/workspaces/a', 'workspaces/a'],
    ['workspace/a', 'workspace/a'],
    ['src/../b.ts', 'b.ts'],
    ['src/', 'src'],
    ['', ''],
    ['/', ''],
    ['.', ''],
    ['/etc/passwd', 'etc/passwd'],
    ['...', '...'],
    ['.env', '.env'],
    ['a b/ü?*|<>:"#%.ts', 'a b/ü?*|<>:"#%.ts'],
    ['__proto__/constructor', '__proto__/constructor'],
    // Composed and decomposed characters are one name, as they look.
    ['cafe\u0301.md', 'caf\u00e9.md'],
    // Look-alike characters are another name, and do no harm: a path is no key of the store and no path of a machine.
    ['a\u2215b', 'a\u2215b'],
    ['\uff0e\uff0e/x', '\uff0e\uff0e/x'],
    ['\u0430.ts', '\u0430.ts'],
    ['A.ts', 'A.ts'],
    ['👩‍🚀.png', '👩‍🚀.png'],
  ])('%j is %j', (given, path) => {
    expect(pathOf(given)).toBe(path);
  });

  test.each([
    ['..', 'leads out'],
    ['../etc/passwd', 'leads out'],
    ['../../etc/passwd', 'leads out'],
    ['/../etc/passwd', 'leads out'],
    ['/workspace/../../etc/passwd', 'leads out'],
    ['src/../../x', 'leads out'],
    ['a\0b', 'has characters'],
    ['a\nb', 'has characters'],
    ['a\u001b[31mb', 'has characters'],
    ['a\u0085b', 'has characters'],
    ['a\u2028b', 'has characters'],
    ['exe.\u202egnp', 'has characters'],
    ['a\ud800b', 'has characters'],
    ['\ufeffa', 'has characters'],
    ['..\\..\\windows', 'between folders stands'],
    ['C:\\x', 'between folders stands'],
    ['a'.repeat(5_000), 'too long'],
    ['a'.repeat(256), 'too long'],
    [Array.from({ length: 300 }, () => 'a').join('/'), 'too long'],
    ['é'.repeat(128), 'too long'],
  ])('%j is refused with a sentence', (given, why) => {
    expect(() => pathOf(given)).toThrow(PathError);
    expect(() => pathOf(given)).toThrow(why);
  });

  test('a refusal quotes at most a line of the path, without its odd characters', () => {
    const said = (given: string) => {
      try {
        return pathOf(given);
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(said(`${'x'.repeat(4_000)}\u001b[2J`).length).toBeLessThan(200);
    expect(said('a\u001b[2Jb')).toContain('"a\\u001b[2Jb"');
    expect(said('a\ud800b')).not.toMatch(/\p{Cs}/u);
  });

  test('of a file is not that of the root', () => {
    for (const root of ['', '/', '.', '/workspace/', 'a/..'])
      expect(() => filePathOf(root)).toThrow('the workspace itself');
    expect(filePathOf('a')).toBe('a');
  });

  test('is in all of its folders, and in no other folder with the same prefix', () => {
    expect(foldersOf('a/b/c.ts')).toEqual(['a', 'a/b']);
    expect(foldersOf('c.ts')).toEqual([]);
    expect([isUnder('a/b', 'a'), isUnder('a', 'a'), isUnder('a', ''), isUnder('ab', 'a')]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
