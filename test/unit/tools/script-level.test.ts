/** T23: how dangerous a shell script is; T24: `rm -rf` asks, and writing a file does not. */

import { describe, expect, test } from 'vitest';
import { levelOf } from '../../../shared/agent/policy/levels.ts';
import { modes } from '../../../shared/agent/policy/modes.ts';
import { bash, scriptLevel } from '../../../tools/bash/index.ts';

describe('T23: a script is as dangerous as the worst of its commands', () => {
  test.each([
    'ls -la',
    'cat src/a.ts | head -20 | grep -n "rm -rf /"',
    'cd src && rg TODO . || echo none',
    "grep -rn 'git push --force' docs",
    'echo "done; rm -rf /"',
    'wc -l *.ts 2>/dev/null 2>&1',
    'find . -name "*.ts" -newer a.ts',
    'for f in *.ts; do wc -l "$f"; done',
    'if test -f a; then cat a; fi',
    'FOO=1 cat a # rm -rf /',
    'git status && git log --oneline -5',
    'sort < a.txt',
    'uniq < a.txt 2>&1',
    'test -f a || printf "%s" none',
    '/usr/bin/cat a',
    'cat \\\n a',
    'echo a#b',
    '',
  ])('safe: %s', (script) => {
    expect(scriptLevel(script)).toBe('safe');
  });

  test.each([
    'echo hello > a.txt',
    'cat a >> b',
    'mkdir -p src/x && touch src/x/a',
    'rm a.txt',
    'mv a b; cp b c',
    "sed -i 's/a/b/' a.txt",
    'sort -o a a',
    'ls | tee out',
    '&> all.log ls',
    'ls >& all.log',
    "sed -n 's/one/e/p' a > b",
    '> a',
    'git add -A && git commit -m "all of it"',
  ])('moderate: %s', (script) => {
    expect(scriptLevel(script)).toBe('moderate');
  });

  test.each([
    'rm -rf build',
    'rm -r -f build',
    'rm --recursive build',
    "r'm' -rf build",
    '\\rm -rf build',
    '/bin/rm -fr build',
    'rm "-rf" build',
    'rm -{r,f} build',
    "rm -$'r' build",
    'rm $FLAGS build',
    'rm *.log',
    'ls; rm -rf build',
    'ls\nrm -rf build',
    'ls &rm -rf build',
    '{ rm -rf build; }',
    'if true; then rm -rf build; fi',
    'X=1 rm -rf build',
    'PATH=. ls',
    'echo $(rm -rf build)',
    'echo `rm -rf build`',
    'echo "$(rm -rf build)"',
    'cat <(rm -rf build)',
    'cat <<E\nrm\nE',
    'ls() { rm x; }; ls',
    '$CMD a',
    'l"$X" a',
    'eval "rm -rf build"',
    'bash -c "ls"',
    'find . -delete',
    'find . -del\\\nete',
    'find . "-del\\\nete"',
    'find . -{delete,print}',
    'find *',
    './ls',
    '../bin/ls',
    'printf -v PATH .',
    "test -v 'a[$(rm x)]'",
    "sed '1e rm -rf x' a",
    "sed 's|a|b|ge' a",
    'sed -f script a',
    'awk -f script a',
    'awk "$PROGRAM" a',
    'git stash clear',
    'find . -exec rm {} +',
    'find . | xargs rm',
    'curl https://example.com',
    'sudo ls',
    'node a.js',
    'npm test',
    'awk \'BEGIN { system("rm -rf x") }\'',
    "sed 's/.*/rm -rf x/e' a",
    'git push',
    'git checkout -- .',
    'git -c core.pager=x log',
    'git diff --ext-diff',
    'rg --pre ./x TODO',
    'alias ls=rm',
    'case x in x) rm a;; esac',
    'echo "never ends',
    'unheard-of-command',
  ])('dangerous: %s', (script) => {
    expect(scriptLevel(script)).toBe('dangerous');
  });

  test.each([
    'rm -rf /',
    'rm -rf /*',
    'rm -rf *',
    'rm -rf .',
    'rm -rf ../..',
    'rm -rf ~',
    'rm -rf "$HOME"',
    'rm -rf $DIR/',
    'rm -r ./',
    'rm -rf /workspace',
    'ls && (rm -rf /)',
    'echo $(rm -rf /)',
    'git push --force',
    'git push -f origin main',
    'git push --force-with-lease',
    'git push origin +main',
    'git push origin :main',
    'git reset --hard HEAD~1',
    'git clean -fdx',
    'dd if=/dev/zero of=/dev/sda',
  ])('critical: %s', (script) => {
    expect(scriptLevel(script)).toBe('critical');
  });

  test('any text gets one of the four levels, in linear time', () => {
    const much = [`(`, `"`, `\\`, `$(`, `a `, `'"`, `;`, `1`, `</`].map((text) => text.repeat(40_000));
    const words = [`.`, `/`, `./`, `;`, `/g`, `; `, `1,`, `r`, `$`, ` `].flatMap((text) => [
      `sed '${text.repeat(40_000)}x'`,
      `rm -rf ${text.repeat(40_000)}x`,
      `git push '${text.repeat(40_000)}'`,
    ]);
    for (const text of [...much, ...words])
      expect(['safe', 'moderate', 'dangerous', 'critical']).toContain(scriptLevel(text));
  });
});

test('T24: under auto_safe a script that writes runs, and one that removes a folder asks', () => {
  const decided = (command: string) => modes.auto_safe[levelOf(bash(), { value: { command } })];
  expect(decided('echo hello > a.txt')).toBe('allow');
  expect(decided('rm -rf build')).toBe('ask');
});
