import { beforeAll, describe, expect, test } from 'vitest';
import { changedPaths } from '../../../shared/agent/tools/changed-paths.ts';
import { readWords } from '../../../shared/agent/words/words.ts';

beforeAll(readWords);

describe('H7: the paths that a command changes', () => {
  test.each([
    'ls -la src',
    'cat a.txt | grep -n x | head -3',
    'cd src && git diff HEAD~1 -- a.ts',
    "find . -name '*.ts' -newer b.txt",
    "sed -n '1,20p' a.txt",
    "sed 's/a/b/g; /x/d' a.txt",
    'grep -rn "TODO" . 2>/dev/null || true',
    'echo done >&2',
    'git status --short; git log -3',
    'sort a.txt | uniq -c',
    "# rm a.txt\nwc -l 'my file.txt'",
    '[ -f a.txt ] && echo yes',
  ])('H7: %s changes nothing', (script) => {
    expect(changedPaths(script)).toEqual([]);
  });

  test.each([
    { script: 'sed -i s/a/b/ a.txt', paths: ['a.txt'] },
    { script: "sed -i -e 's/a/b/' -e '/x/d' a.txt b.txt", paths: ['a.txt', 'b.txt'] },
    { script: "sed -i '' 's|a|b|g' a.txt", paths: ['a.txt'] },
    { script: "sed -Ei '3a hello; world' a.txt", paths: ['a.txt'] },
    { script: 'echo x > a.txt', paths: ['a.txt'] },
    { script: 'cat a.txt b.txt >> c.txt 2> e.log', paths: ['c.txt', 'e.log'] },
    { script: "cat > a.txt <<'EOF'\nrm b.txt\nEOF", paths: ['a.txt'] },
    { script: 'rm -rf src/a.txt -- -b.txt', paths: ['src/a.txt', '-b.txt'] },
    { script: 'mv a.txt b.txt && touch c.txt', paths: ['a.txt', 'b.txt', 'c.txt'] },
    { script: 'cp a.txt b.txt', paths: ['b.txt'] },
    { script: 'echo x | tee -a a.txt', paths: ['a.txt'] },
    { script: 'ls > dist/list.txt', paths: ['dist/list.txt'] },
  ])('H7: $script changes $paths', ({ script, paths }) => {
    expect(changedPaths(script)).toEqual(paths);
  });

  test.each([
    'make',
    'npm test',
    'gofmt -w .',
    'git apply fix.patch',
    'git checkout main',
    'git diff --output=a.txt',
    'rm *.txt',
    'rm "$FILE"',
    'echo x > ~/a.txt',
    'cat $(rm a.txt)',
    'cat `rm a.txt`',
    'diff <(cat a.txt) <(tee b.txt)',
    'find . -name x -delete',
    "find . -exec sed -i s/a/b/ '{}' ';'",
    'ls | xargs rm',
    'sudo rm a.txt',
    'PATH=/other cat a.txt',
    'sort -uo a.txt a.txt',
    'uniq a.txt b.txt',
    "sed -i 's/a/b/w b.txt' a.txt",
    "sed 's/a/b/e' a.txt",
    "sed -n '/x/w b.txt' a.txt",
    'sed -f script.sed a.txt',
    'sed -i.orig s/a/b/ a.txt',
    'sed -i "s/a/$X/" a.txt',
    "perl -pi -e 's/a/b/' a.txt",
    'awk \'{ print > "b.txt" }\' a.txt',
    'cp -t dir a.txt b.txt',
    'cp --target-directory=dir a.txt',
    'cd src && rm a.txt',
    'ln -s a.txt b.txt',
    'rm a.txt &',
    'for f in a b; do rm $f.txt; done',
    'if true; then rm a.txt; fi',
    'bash -c "rm a.txt"',
    './ls',
    `sed -i '${'a;'.repeat(200)}\nX' a.txt`,
  ])('H7: it is not known what %s changes', (script) => {
    expect(changedPaths(script)).toBeUndefined();
  });
});
