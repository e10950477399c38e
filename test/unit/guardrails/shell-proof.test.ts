import { describe, expect, test } from 'vitest';
import { commandOf, proofOf, tellsFailure } from '../../../shared/agent/session/facts.ts';
import { onlyLooks, shellProof } from '../../../shared/agent/words/shell/proof.ts';
import { readShell } from '../../../shared/agent/words/shell/read.ts';

const fine = { exitCode: 0, output: '' };
const verified = (script: string, ended = fine) => shellProof(script, ended).verified;
const changed = (script: string, ended = fine) => shellProof(script, ended).changed;

describe('H4: the command word decides whether a command verifies', () => {
  test.each([
    ...[
      'npm test',
      'npm t',
      'npm run test:unit',
      'npm run -s lint',
      'npm --prefix web test',
      'pnpm test',
      'pnpm -r test',
    ],
    ...[
      'yarn lint',
      'hatch run test',
      'pdm run pytest -q',
      'yarn workspace web test',
      'bun test',
      'deno test',
      'deno task check',
      'pnpm --filter web typecheck',
    ],
    ...[
      'npx vitest run a',
      'npx --yes tsc --noEmit',
      'pnpm exec eslint .',
      'yarn jest',
      'bunx tsc',
      'node --test',
      'npm exec -- tsc',
    ],
    ...[
      'python -m unittest',
      'python3 -m pytest -q',
      '/usr/bin/python3.12 -m unittest discover',
      'pytest tests/a.py',
      'tox -e py',
    ],
    ...[
      'poetry run pytest',
      'uv run pytest -x',
      'uv run --with x pytest',
      'pipenv run mypy .',
      'uvx ruff check',
      'ruff check .',
    ],
    ...[
      'python manage.py test shop',
      'python tests/test_a.py',
      'coverage run -m pytest',
      'python -m py_compile a.py',
      'black --check .',
    ],
    ...[
      'go vet ./...',
      'go test ./...',
      'go build',
      'cargo test',
      'cargo +nightly clippy',
      'cargo nextest run',
      'cargo fmt --check',
    ],
    ...[
      'mvn verify',
      'mvn -q -pl core test',
      './mvnw verify',
      'gradle :app:test',
      './gradlew check',
      'sbt test',
      'make',
      'make -C web check',
    ],
    ...[
      'make lint',
      'just test',
      'bundle exec rspec',
      'bin/rails test',
      'rake test',
      'dotnet test',
      'swift build',
      'mix test',
      'ctest',
    ],
    ...[
      'composer test',
      'phpunit',
      'php -l a.php',
      'node --check a.js',
      'bash -n a.sh',
      'shellcheck a.sh',
      'gcc -c a.c',
      'javac A.java',
    ],
    ...[
      './run-tests.sh',
      'scripts/ci',
      'bash scripts/test.sh',
      'sh -e ci/check.sh',
      'cmake --build build',
      'bazel test //...',
      'nx test web',
    ],
    ...[
      'cd web && npm test',
      'FOO=1 BAR="a b" npm test',
      'sudo -u ci npm test',
      'env -i CI=1 npm test',
      'time npm test',
      'nice -n 5 npm test',
    ],
    ...[
      'timeout 60 npm test',
      'timeout -k 5 60s cargo test',
      'xvfb-run -a npm test',
      'cross-env CI=1 vitest run',
      'npx c8 npm test',
    ],
    ...[
      'docker compose run --rm web npm test',
      'docker-compose -f a.yml exec -T web pytest',
      'docker run -v .:/a -w /a node:24 npm test',
    ],
    ...[
      'kubectl exec -n a pod -- pytest',
      'bash -c "npm test"',
      "sh -lc 'cd a && go test ./...'",
      'ssh host "cd a && make test"',
    ],
    ...[
      '(cd web && npm test)',
      'set -euo pipefail; npm test | tail -5',
      'cd a\nnpm test',
      'source .venv/bin/activate && pytest',
      'npm ci && npm test',
    ],
    ...[
      'bash <<EOF\nnpm test\nEOF',
      'export CI=1; npm test',
      'npm test || exit 1',
      'npm test; exit $?',
      'npm run lint && npm test',
      'terraform validate',
    ],
    ...[
      'python -m pytest tests/ -x -q',
      'PYTHONPATH=. pytest',
      './manage.py test',
      'sh gradlew test',
      'mvn clean install',
      'vendor/bin/phpunit',
      'ninja -C out',
      'npx tsx --test a.ts',
    ],
    ...[
      'node_modules/.bin/tsc --noEmit',
      'docker exec -it web bash -lc "cd /app && pytest -q"',
      '{ npm test; }',
      'time (npm test)',
      'yarn run test:ci',
      'npx turbo run test',
    ],
    ...[
      'terraform fmt -check && terraform validate',
      'g++ -o a a.cpp && ./a',
      'env PATH=$PWD/bin:$PATH npm test',
      '"npm" test',
      'rails db:migrate && rails test',
    ],
    'npm test \\\n  -- a.test.ts',
  ])('%s', (script) => {
    expect([verified(script), verified(script, { exitCode: 1, output: 'no' })]).toEqual([
      { exitCode: 0 },
      { exitCode: 1 },
    ]);
  });

  test.each([
    ...[
      'cat test.txt',
      'echo "no tests to build"',
      'ls test',
      'grep -rn test src',
      'cat package.json | grep test',
      'git commit -m "test"',
    ],
    ...[
      'git checkout -b fix-tests',
      'test -f a.ts',
      '[ -f build ]',
      'cd test',
      'mkdir build',
      'rm -rf build',
      'find . -name "*.test.ts"',
      'vim test.ts',
    ],
    ...[
      'npm install',
      'npm ci',
      'npm run',
      'npm start',
      'npm run dev',
      'npm run deploy',
      'npx prettier --write .',
      'yarn add vitest',
      'pip install pytest',
    ],
    ...[
      'npm install --save-dev jest',
      'which pytest',
      'pytest --version',
      'pytest --collect-only',
      'npx tsc --version',
      'make -n test',
      'jest --listTests',
    ],
    ...[
      'node index.js',
      'python app.py',
      'python -c "print(\'test\')"',
      'node -e "test()"',
      'go run main.go',
      'cargo run',
      'docker ps',
      'make deploy',
    ],
    ...[
      'kubectl get pods',
      'curl localhost/test',
      '# npm test',
      'echo npm test',
      'printf "npm test\\n" > a.sh',
      "cat <<'EOF'\nnpm test\nEOF",
      'npm test &',
    ],
    ...[
      'exit 0; npm test',
      'git diff --check test',
      'git log --grep test',
      'man test',
      'sed -n 1,5p test.ts',
      'dotnet new test',
      'alias t="npm test"',
    ],
    ...['', ' ', '&&', '"', "'npm test", '$(', 'a$(b$(c', '<<', '>', '((((', '`'],
  ])('%s does not', (script) => {
    expect(verified(script)).toBeUndefined();
  });

  test.each([
    ['npm test 2>&1 | tail -5', 'Tests 12 passed (12)', 0],
    ['npm test 2>&1 | tail -5', 'Tests 1 failed | 11 passed', 1],
    ['npm test | tee out.log', '12 passed, 0 failed', 0],
    ['tsc --noEmit | head -20', '', 0],
    ['tsc --noEmit | head -20', "a.ts(1,2): error TS2322: Type 'x'", 1],
    ['go test ./... | grep -v "no test files"', 'ok  \tshop\t0.1s', 0],
    ['go test ./... | tail', '--- FAIL: TestA (0.00s)', 1],
    ['npm test || true', 'Tests 12 passed', 0],
    ['npm test || true', 'Tests 2 failed', 1],
    ['npm test || true', '', null],
    ['npm test; echo done', 'done', null],
    ['npm test; echo ok', 'ok', null],
    ['npm test; echo "3 passed"', '3 passed', null],
    ['pytest | head -5', '==== test session starts ====', null],
    ['pytest | head -50', '==== 3 passed in 0.1s ====', 0],
    ['npm test | wc -l', '34', null],
    ['npx tsc --noEmit | head -20', '', 0],
    ['pytest | cat', 'collected 0 items\n\nno tests ran in 0.01s', 1],
    ['npm run build; echo "exit: $?"', 'built\nexit: 0', 0],
    ['npm test > /tmp/o 2>&1; echo "EXIT=$?"; tail -3 /tmp/o', 'EXIT=1\nbye', 1],
    ['npm test > /tmp/o 2>&1; echo $?', '0', 0],
    [`npm test | tail -3; echo "exit \${PIPESTATUS[0]}"`, 'bye\nexit 2', 2],
    ['npm test | tail -3; echo "exit $?"', 'bye\nexit 0', null],
    ['npm test; echo "exit $?"; echo "exit 0"', 'exit 1\nexit 0', null],
    ['npm test > /dev/null; echo "exit $?" > /tmp/x; echo "exit 0"', 'exit 0', null],
    ['xcodebuild test | xcpretty', '** TEST SUCCEEDED **', 0],
    ['npm test; echo "exit: $?"', '# pass 3\n# fail 0\nexit: 0', 0],
    ['npm test > /dev/null; true', '', null],
    ['npm test > out.log 2>&1 || echo no', 'no', null],
    ['npm test > /dev/null 2>&1 | cat', '', null],
    ['true || npm test', '', null],
    ['! npm test', '', null],
    ['if npm test; then echo yes; fi', 'yes', null],
    ['for a in x y; do npm test -w $a; done', '', null],
    ['if [ -f a ]; then cd a; fi; npm test', '', 0],
    ['npm test && echo ok || echo not', 'OK', 0],
  ])('%s, of which %j is visible, exits with %j', (script, output, exitCode) => {
    expect(verified(script, { exitCode: 0, output })).toEqual({ exitCode });
  });

  test('the last verification after the last change counts', () => {
    expect(verified('npm test && sed -i s/a/b/ a.ts')).toBeUndefined();
    expect(verified('sed -i s/a/b/ a.ts && npm test')).toEqual({ exitCode: 0 });
  });
});

describe('H4: changes that a shell makes', () => {
  test.each([
    ['sed -i s/a/b/ a.ts', ['a.ts']],
    ["sed -i.bak -e 's/a/b/' -e 's/c/d/' a.ts b.ts", ['a.ts', 'b.ts']],
    ["sed -i '' 's/a/b/' a.ts", ['a.ts']],
    ['perl -pi -e s/a/b/ a.ts', ['a.ts']],
    ['grep -rl old src | xargs sed -i s/old/new/', ['?']],
    ['find src -name "*.ts" -exec sed -i s/a/b/ {} +', ['?']],
    ['find . -name "*.orig" -delete', ['?']],
    ['echo x > a.ts', ['a.ts']],
    ['echo x >> docs/a.md', ['docs/a.md']],
    ["cat > plan.md <<'EOF'\n# npm test > x\nEOF", ['plan.md']],
    ['cat <<EOF | tee -a plan.md\nx\nEOF', ['plan.md']],
    ['> a.ts', ['a.ts']],
    ['npm run gen &> gen.ts', ['gen.ts', '?']],
    ['git apply fix.patch', ['?']],
    ['patch -p1 < fix.patch', ['?']],
    ['git checkout -- a.ts', ['a.ts']],
    ['git -C web restore a.ts', ['a.ts']],
    ['git revert --no-edit HEAD', ['?']],
    ['git stash pop', ['?']],
    ['git reset --hard HEAD~1', ['?']],
    ['git rm old.ts', ['old.ts']],
    ['mv a.ts b.ts', ['a.ts', 'b.ts']],
    ['cp a.md docs/', ['docs/', 'docs/a.md']],
    ['rm -rf old.ts', ['old.ts']],
    ['chmod +x run.sh', ['run.sh']],
    ['npx prettier --write src', ['?']],
    ['npx eslint --fix .', ['?']],
    ['ruff format .', ['?']],
    ['cargo fmt', ['?']],
    ['npm install lodash@5', ['?']],
    ['npm run lint:fix', ['?']],
    ['go mod tidy', ['?']],
    ['bash -c "echo x > a.ts"', ['a.ts']],
    ['cd web && FOO=1 sudo tee a.conf < b', ['a.conf']],
    ['apply_patch <<EOF\n*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** End Patch\nEOF', ['src/a.ts']],
    ["python3 - <<'EOF'\nfrom pathlib import Path\nPath('a.ts').write_text('x')\nEOF", ['?']],
    [`python -c "open('a.ts', 'w').write('x')"`, ['?']],
    [`node -e "fs.writeFileSync('a.ts', 'x')"`, ['?']],
    ['dd if=a of=b.img', ['b.img']],
    ['echo x > $FILE', ['?']],
    ['jq .a=1 a.json | sponge a.json', ['a.json']],
    ['yq -i .a=1 a.yml', ['?']],
    ['python manage.py makemigrations', ['?']],
    ['bash -c "cat > a.ts" <<EOF\nx\nEOF', ['a.ts']],
    ['ed -s a.ts <<EOF\n1d\nw\nEOF', ['a.ts']],
    ['git checkout main -- a.ts', ['a.ts']],
  ])('%s changes %j', (script, files) => expect(changed(script)).toEqual(files));

  test.each([
    ...[
      'npm test > /dev/null 2>&1',
      'npm test 2>&1',
      'npm test > test.log 2>&1',
      'npm test | tee test.log',
      'ls 2>/dev/null',
      'ls > /tmp/list',
    ],
    ...[
      'cat a.ts',
      'sed -n 1,5p a.ts',
      'grep "a > b" a.ts',
      "awk '$1 > 5' a.txt",
      'git diff',
      'git status',
      'git checkout -b fix',
      'git switch -c fix',
    ],
    ...[
      'git commit -am "fix"',
      'git add -A',
      'git push',
      'git fetch',
      'git stash list',
      'git apply --check a.patch',
      'git clean -n',
      'git reset a.ts',
    ],
    ...[
      'mkdir -p src',
      'npm install',
      'npm ci',
      'pip install x',
      'black --check .',
      'prettier --check .',
      'cargo fmt --check',
      'echo "x > y"',
    ],
    ...[
      'rm -rf coverage',
      'rm test.log a.py.orig',
      'rm /tmp/a.txt',
      'rm -rf node_modules && npm ci',
      '[ 3 -gt 2 ] && echo yes',
      'cat < a.ts',
      'diff <(ls a) <(ls b)',
    ],
    ...[
      'python -c "print(1 > 0)"',
      'node index.js',
      "cat <<'EOF'\nrm a.ts\nEOF",
      '# rm a.ts',
      'echo rm a.ts',
      'find . -name "*.ts" -exec cat {} +',
    ],
    ...[
      'tee /dev/stderr',
      'curl -s -o /dev/null https://example.com',
      'patch --dry-run -p1 < a.patch',
      'go mod download',
    ],
  ])('%s changes nothing', (script) => expect(changed(script)).toEqual([]));

  test('in a failed script, the commands before the last one have run', () => {
    const failed = { exitCode: 1, output: '1 failed' };
    expect(shellProof('sed -i s/a/b/ a.ts && npm test', failed)).toEqual({
      changed: ['a.ts'],
      unverifies: true,
      verified: { exitCode: 1 },
    });
    expect(shellProof('sed -i s/a/b/ missing.ts', failed)).toEqual({ changed: [], unverifies: true });
  });
});

describe('parsing a script', () => {
  test.each([
    ['a "b c" d\\ e \'f "g"\' # h', [['a', 'b c', 'd e', 'f "g"']]],
    ['a;b&&c||d|e&f', [['a'], ['b'], ['c'], ['d'], ['e'], ['f']]],
    ['a "$(b "c;d")" e', [['a', '$(b "c;d")', 'e']]],
    ['a <<X b\n; c\nX\nd', [['a', 'b'], ['d']]],
    ['a 2>&1 >b <c 3>d', [['a']]],
    ["a 'b\nc'", [['a', 'b\nc']]],
  ])('%j', (script, words) => expect(readShell(script).map((command) => command.words)).toEqual(words));

  test('long or deeply nested text is parsed in time', () => {
    for (const piece of [
      '$(',
      '"',
      '(',
      'a<<b\n',
      '`',
      'bash -c "',
      '1',
      '>',
      "'",
      '\\',
      '${',
      'sudo ',
      'A=1 ',
      '- ',
      'sed -i ',
      'npm test; ',
      '0 ',
    ])
      expect(Array.isArray(shellProof(piece.repeat(20_000), fine).changed)).toBe(true);
  });
});

describe('which calls verify', () => {
  const call = (name: string, input: unknown) => ({ id: 'c', name, input });
  const result = (content: string, exitCode?: number) => ({
    ...{ callId: 'c', name: 'x', outcome: 'ok' as const, content, durationMs: 0 },
    ...(exitCode !== undefined && { exitCode }),
  });
  const bash = { name: 'bash', effect: 'once' as const };

  test('a command may be a list of words', () => {
    const listed = call('bash', { command: ['bash', '-lc', "npm test -- 'a b'"] });
    expect(commandOf(listed)).toBe(`bash -lc 'npm test -- '\\''a b'\\'''`);
    expect(proofOf(listed, result('', 0), bash).verified).toEqual({ exitCode: 0 });
  });

  test('a shell without an exit code may report a failure', () => {
    const ran = (content: string) =>
      proofOf(call('bash', { command: 'npm test' }), result(content), bash).verified;
    expect([ran('Exit code 1\nno'), ran('FAILED a.test.ts'), ran('12 passed, 0 FAILED')]).toEqual([
      { exitCode: 1 },
      { exitCode: 1 },
      { exitCode: 0 },
    ]);
  });

  test.each([
    'delete_file',
    'remove_file',
    'create_file',
    'move_file',
    'rename_files',
    'deletePath',
    'copy_file',
  ])('%s changes files', (name) =>
    expect(proofOf(call(name, { path: 'a' }), result('ok'), { name, effect: 'once' }).changed).toHaveLength(
      1,
    ),
  );
  test.each([
    'delete_user',
    'create_ticket',
    'move_money',
    'remove_label',
    'copy_text',
    'read_file',
    'file_ticket',
  ])('%s does not', (name) =>
    expect(proofOf(call(name, { path: 'a' }), result('ok'), { name, effect: 'once' }).changed).toEqual([]),
  );

  test.each([
    ...[
      'FAILED a.test.ts',
      '3 passed, 1 FAILED',
      '10 FAILED',
      'FAILED: 2',
      'BUILD FAILURE',
      'FAILED (failures=1)',
      'exit code 2',
      'FAILED (0.52s)',
    ],
    'version 1.0 FAILED',
  ])('A23: "%s" reports a failure', (text) => expect(tellsFailure(result(text))).toBe(true));
  test.each([
    ...[
      '12 passed, 0 FAILED',
      'no FAILED tests',
      '0 tests FAILED',
      '0 of 12 FAILED',
      '0/12 FAILED',
      'FAILED: 0',
      'FAILED=0',
      '{"FAILED":0}',
    ],
    ...['FAILED (0)', 'exit code 0', 'without FAILURE'],
  ])('A23: "%s" reports none', (text) => expect(tellsFailure(result(text))).toBe(false));
});

describe('which commands only read', () => {
  test.each([
    'ls > /dev/null',
    'cat a 2>&1 | sort | uniq -c',
    'cd a && sed -n 1p b',
    'git log | head',
    'awk 1 a',
  ])('%s only reads', (script) => expect(onlyLooks(script)).toBe(true));
  test.each([
    'npm install',
    'curl -X POST https://example.com',
    'awk 1 a > b',
    'bash deploy.sh',
    'kubectl delete pod a',
  ])('%s does not', (script) => expect(onlyLooks(script)).toBe(false));
});

describe('a program with the name of something that every object has', () => {
  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'])(
    '%s is a program like any other',
    (name) => {
      for (const script of [
        `${name} test`,
        `git ${name}`,
        `${name} ${name}`,
        `python ${name} x`,
        `sudo ${name} x`,
      ])
        expect([verified(script), changed(script), onlyLooks(script)], script).toEqual([
          undefined,
          expect.any(Array),
          false,
        ]);
    },
  );
});
